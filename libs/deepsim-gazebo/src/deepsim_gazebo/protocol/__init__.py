# SPDX-License-Identifier: Apache-2.0
"""The services of the Gazebo plugin: types, requests, replies and a client."""
