# SPDX-License-Identifier: Apache-2.0
"""Elements without effect on a description, which cause no warning.

Each is a setting of Gazebo's window, sensors or solver, or a default that is written out.
"""

from __future__ import annotations

from typing import Final

HARMLESS: Final = frozenset(
    {
        # display settings of Gazebo's window
        "gui",
        "grid",
        "origin_visual",
        "visualize",
        # settings of Gazebo's sensors and plugins
        "atmosphere",
        "laser_retro",
        "magnetic_field",
        "provideFeedback",
        "provide_feedback",
        "spherical_coordinates",
        # settings of the contact and joint solvers of Gazebo's engines
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
