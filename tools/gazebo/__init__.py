# SPDX-License-Identifier: Apache-2.0
"""The Gazebo host: Gazebo 11 and ROS Noetic in a folder of their own on a machine without them.

`python tools/gazebo` runs it; `gazebo.servers` is for tests and benchmarks that start servers. What
cannot be done raises `GazeboHostError`, whose message says why and what to do.
"""
