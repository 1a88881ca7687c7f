# SPDX-License-Identifier: Apache-2.0
"""The services of the Gazebo plugin: types, requests, replies, a client, and its file of tables."""
