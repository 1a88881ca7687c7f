# SPDX-License-Identifier: Apache-2.0
"""ROS 1 without ROS: master, TCPROS, serialisation, clock and messages."""
