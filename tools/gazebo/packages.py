# SPDX-License-Identifier: Apache-2.0
"""The Debian packages that the root and the host need, by what they are for."""

from __future__ import annotations

SUITE = "bullseye"  # the last Debian that has Gazebo 11; its ROS is Noetic
SERVERS = """
    gazebo libgazebo-dev python3-rospy python3-roslaunch python3-rosmaster python3-rosservice
    python3-rostopic python3-rosnode python3-numpy
"""
BUILD = """
    g++ make cmake catkin pkg-config ros-cmake-modules ros-message-generation libroscpp-dev
    libroslib-dev libtf-dev libdynamic-reconfigure-config-init-mutex-dev
    python3-dynamic-reconfigure libtinyxml-dev libxml2-dev
"""
# The .msg files are in ros-*, which the -dev packages only recommend.
MESSAGES = """
    libstd-msgs-dev libstd-srvs-dev libgeometry-msgs-dev libsensor-msgs-dev libtrajectory-msgs-dev
    libros-rosgraph-msgs-dev ros-std-msgs ros-std-srvs ros-geometry-msgs ros-sensor-msgs
    ros-trajectory-msgs ros-rosgraph-msgs python3-std-msgs python3-std-srvs python3-geometry-msgs
    python3-sensor-msgs python3-trajectory-msgs python3-rosgraph-msgs
"""
CAMERA = "xvfb xauth libgl1-mesa-dri x11-xkb-utils xkb-data"
CHECKS = "libgtest-dev googletest clang-format clang-tidy"

ROOT = tuple(f"{SERVERS} {BUILD} {MESSAGES} {CAMERA} {CHECKS}".split())
"""What is installed in the root, without recommended packages."""

TOOLS = ("debootstrap", "debian-archive-keyring")
"""What the host needs to make the root."""

HOST = (
    "python3-rospy",
    "python3-rosgraph-msgs",
    "python3-std-srvs",
    "python3-geometry-msgs",
    "python3-trajectory-msgs",
    "python3-sensor-msgs",
    "python3-numpy",
)
"""What the host's own /usr/bin/python3 needs to talk to the servers with rospy (Debian 12)."""
