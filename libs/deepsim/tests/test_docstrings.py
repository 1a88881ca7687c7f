# SPDX-License-Identifier: Apache-2.0
"""The examples of the docstrings run, and print what they say."""

from __future__ import annotations

import doctest

import deepsim.backend


def test_examples_of_docstrings():
    """Those that need no files."""
    found = doctest.testmod(deepsim.backend)
    assert found.attempted > 0
    assert found.failed == 0
