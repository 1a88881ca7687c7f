# SPDX-License-Identifier: Apache-2.0
"""Reads SDF 1.3 to 1.11 like Gazebo 11 (libsdformat).

Every reader raises a ModelFormatError for an element that it cannot read.
"""
