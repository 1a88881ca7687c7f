# SPDX-License-Identifier: Apache-2.0
"""DeepSim on Gazebo 11 over ROS 1."""
