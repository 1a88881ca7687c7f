# SPDX-License-Identifier: Apache-2.0
"""Writes descriptions as SDF 1.7, the newest version that Gazebo 11 reads.

Poses are resolved, so nothing is written `relative_to` another frame. Worlds, models and lights
import these modules for their `to_sdf()`, so the modules import those classes for annotations only.
"""
