# SPDX-License-Identifier: Apache-2.0
"""The examples of docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import deepsim_btree
import deepsim_mujoco
import deepsim_soccer
import deepsim_spawn
import deepsim_sync
from deepsim_btree.batch import Batch
from deepsim_soccer import mind

MODULES = [each.name for each in pkgutil.walk_packages(deepsim_soccer.__path__, "deepsim_soccer.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name, make_pitch):
    """Names of the libraries are imported, and `pitch` has one robot of each team."""
    module = importlib.import_module(name)
    libraries = deepsim_btree, deepsim_sync, deepsim_spawn, deepsim_mujoco, mind, deepsim_soccer
    names = {key: value for library in libraries for key, value in vars(library).items()}
    names |= {**vars(module), "np": np, "Batch": Batch, "pitch": make_pitch()}
    assert doctest.testmod(module, globs=names).failed == 0
