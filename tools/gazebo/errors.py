# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in the Gazebo host, told in one line."""

from __future__ import annotations


class GazeboHostError(Exception):
    """Gazebo cannot be set up, built or started; the message says why and what to do."""
