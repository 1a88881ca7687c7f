# SPDX-License-Identifier: Apache-2.0
"""The simulator port as a client of any server of ROS 2's simulation_interfaces."""
