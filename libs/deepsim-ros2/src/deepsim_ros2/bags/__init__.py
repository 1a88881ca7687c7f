# SPDX-License-Identifier: Apache-2.0
"""Recordings in the messages of ROS 2: written from worlds, and read from any MCAP or db3 bag."""
