# SPDX-License-Identifier: Apache-2.0
"""Errors: one root, and they travel between processes."""

from __future__ import annotations

import pickle

import pytest

from deepsim_sync import (
    CallbackError,
    ClosedWorldError,
    DeepSimError,
    DuplicateEntityError,
    NoCurrentWorldError,
    Refusal,
    SimulationError,
    SpawnError,
    UnknownEntityError,
    UnsupportedError,
    WriteRefusedError,
    WrongThreadError,
)

ERRORS = [
    UnknownEntityError("model", "ball", ["bell"]),
    DuplicateEntityError("model", "ball"),
    SpawnError("ball", "it has no mass"),
    WriteRefusedError([Refusal("models", "twist", "wall", "it is static")]),
    SimulationError("the physics diverged", [2, 5]),
    CallbackError("ball", "on_update", 3, ValueError("no")),
    NoCurrentWorldError(),
    UnsupportedError("no cameras"),
    WrongThreadError("MainThread", "worker"),
    ClosedWorldError(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_have_one_root_and_can_be_pickled(error: DeepSimError) -> None:
    """A worker process can send them home: class, message and attributes."""
    assert isinstance(error, DeepSimError)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [(ERRORS[0], KeyError), (ERRORS[1], ValueError), (ERRORS[6], RuntimeError)],
)
def test_errors_are_also_what_python_calls_them(error: DeepSimError, builtin: type) -> None:
    assert isinstance(error, builtin)


def test_messages() -> None:
    """What, and what to do."""
    assert str(ERRORS[0]) == "no model is named 'ball'; did you mean 'bell'?"
    assert str(ERRORS[1]) == (
        "a model named 'ball' exists already: delete it or choose another name"
    )
    assert str(ERRORS[2]) == "cannot spawn model 'ball': it has no mass"
    assert str(ERRORS[3]) == "1 row(s) refused: twist of model 'wall': it is static"
