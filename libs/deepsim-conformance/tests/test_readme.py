# SPDX-License-Identifier: Apache-2.0
"""The example of the README is a complete subclass of the suite, which pytest collects and runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")

pytest_plugins = ["pytester"]


def test_the_example_runs_the_suite(pytester: pytest.Pytester) -> None:
    """Its three methods are enough for a test that needs a model, in one world and in three."""
    example = re.search(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert example
    pytester.makepyfile(example[1])
    names = "test_only_steps_take_time or test_generation_changes_with_the_entities_only"
    pytester.runpytest("-k", names).assert_outcomes(passed=4)
