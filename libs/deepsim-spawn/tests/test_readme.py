# SPDX-License-Identifier: Apache-2.0
"""The examples of the documentation run, and print what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import deepsim_spawn.gazebo_xml_loader

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_the_readme_has_examples_and_each_shows_its_output():
    assert README.count("```python") == len(EXAMPLES) == 1


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_an_example_prints_what_the_readme_says(capsys, code, output):
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == output


def test_every_public_name_is_in_the_readme():
    assert [name for name in deepsim_spawn.__all__ if f"`{name}`" not in README] == []


def test_the_example_of_the_loader_runs():
    assert doctest.testmod(deepsim_spawn.gazebo_xml_loader) == (0, 2)
