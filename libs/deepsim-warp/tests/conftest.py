# SPDX-License-Identifier: Apache-2.0
"""Cases that only `make warp` runs, because all of them take minutes, and the compilation more."""

from __future__ import annotations

import os

import pytest

WHOLE = "DEEPSIM_WARP"
"""With this variable set to "whole", all tests run."""
FEW = {
    "test_spawning_in_one_call_is_all_or_nothing",
    "test_a_step_writes_first",
    "test_position_and_velocity_are_those_of_the_link",
    "test_a_force_acts_for_the_steps_of_one_call",
    "test_a_torque_turns_a_body_by_its_inertia",
    "test_the_same_bits_follow",
    "test_a_reset_brings_back_what_was_described",
    "test_a_jacobian_gives_the_rates_of_a_point",
    "test_a_world_that_diverges_is_named",
}
"""The conformance cases that always run."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the other conformance cases."""
    if os.environ.get(WHOLE) == "whole":
        return
    for item in items:
        if (
            item.path.name == "test_conformance.py"
            and item.path.parent.parent.name == "deepsim-warp"
        ) and getattr(item, "originalname", item.name) not in FEW:
            item.add_marker(pytest.mark.skip(reason="make warp runs all cases"))
