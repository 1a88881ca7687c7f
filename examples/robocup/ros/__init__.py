# SPDX-License-Identifier: Apache-2.0
"""Robots that controllers written for NuBot's simulations drive, over ROS 1."""
