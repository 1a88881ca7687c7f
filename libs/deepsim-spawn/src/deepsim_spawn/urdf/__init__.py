# SPDX-License-Identifier: Apache-2.0
"""Reads URDF with Gazebo's extensions as one model, keeping all fixed joints.

Every reader raises a ModelFormatError for an element that it cannot read.
"""
