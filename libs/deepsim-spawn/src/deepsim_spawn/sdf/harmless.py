# SPDX-License-Identifier: Apache-2.0
"""Elements that change nothing that a description holds, so that no warning names them.

Each is a hint to Gazebo's window, its sensors or its solver, or a default that is written out.
"""

from __future__ import annotations

from typing import Final

HARMLESS: Final = frozenset(
    {
        # how the window of Gazebo shows the world
        "gui",
        "grid",
        "origin_visual",
        "visualize",
        # what only sensors and plugins of Gazebo read
        "atmosphere",
        "laser_retro",
        "magnetic_field",
        "provideFeedback",
        "provide_feedback",
        "spherical_coordinates",
        # how Gazebo's engines solve contacts and joints
        "allow_auto_disable",
        "joint/physics",
        "max_contacts",
        "physics/bullet",
        "physics/dart",
        "physics/ode",
        "physics/simbody",
        "physics/real_time_update_rate",
        "physics/@name",
        "physics/@type",
        "must_be_base_link",
    }
)
