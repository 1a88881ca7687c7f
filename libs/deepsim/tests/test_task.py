# SPDX-License-Identifier: Apache-2.0
"""A folder as a task."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deepsim import (
    ArrayPolicy,
    CameraView,
    Environment,
    Task,
    TaskCodeError,
    TaskError,
    load_task,
    make_environment,
)
from deepsim_sync import UnsupportedError


def test_a_folder_without_a_package_is_no_task(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"is not a task: it has no __init__\.py"):
        load_task(tmp_path)


@pytest.mark.parametrize("text", ["", "TASK = 3\n"])
def test_a_package_must_define_a_task(tmp_path: Path, text: str) -> None:
    (tmp_path / "__init__.py").write_text(text)
    with pytest.raises(TaskError, match=r"must define TASK, a deepsim\.Task; got "):
        load_task(tmp_path)


def write(folder: Path, name: str) -> Path:
    """A task of two modules, which has a name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "parts.py").write_text(f"NAME = {name!r}\n")
    (folder / "__init__.py").write_text(
        "from deepsim import CameraView, Task\n"
        "from .parts import NAME\n"
        "VIEW = CameraView.from_above(0.0, 0.0, 1.0)\n"
        "TASK = Task(NAME, make=lambda seed=0: NAME, policies={}, film=VIEW, map_view=VIEW)\n"
    )
    return folder


def test_two_folders_of_one_name_are_two_tasks(tmp_path: Path) -> None:
    one, other = (load_task(write(tmp_path / name / "task", name)) for name in ("one", "other"))
    assert (one.name, other.name) == ("one", "other")
    assert (one.make(0), other.make(0)) == ("one", "other")


def test_a_task_may_have_the_name_of_a_module(tmp_path: Path) -> None:
    load_task(write(tmp_path / "numpy", "mine"))
    assert sys.modules["numpy"] is np


def test_a_folder_is_read_anew_each_time(tmp_path: Path) -> None:
    """It may be given as text, too."""
    assert load_task(str(write(tmp_path, "before"))).name == "before"
    assert load_task(str(write(tmp_path, "afterwards"))).name == "afterwards"


@pytest.mark.parametrize("name", ["pucks", "DeepSim/Pucks-v0"])
def test_a_task_is_loaded_by_its_name_or_its_id(
    write_task: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(write_task().parent)
    assert load_task(name).name == "pucks"
    with make_environment(name) as environment:
        assert environment.agents == ("puck",)


@pytest.mark.parametrize("last", ["raise OSError('broken')\n", "TASK = 3\n"])
def test_a_task_that_fails_to_load_leaves_nothing_behind(tmp_path: Path, last: str) -> None:
    init = write(tmp_path, "mine") / "__init__.py"
    init.write_text(init.read_text() + last)
    before = set(sys.modules)
    with pytest.raises(TaskError):
        load_task(tmp_path)
    assert set(sys.modules) == before


def task(make: Any = None, name: str = "mine", **policies: Any) -> Task:
    view = CameraView.from_above(0.0, 0.0, 1.0)
    return Task(name, make=make, policies=policies, film=view, map_view=view)


@pytest.mark.parametrize("name", ["", "foo bar", "foo/bar", "..", ".hidden", "-v", 3])
def test_a_name_that_is_not_fit_for_a_file_is_refused(name: Any) -> None:
    with pytest.raises(TaskError, match=r"must be fit for a file name .* got "):
        task(name=name)
    assert task(name="Task_2.1-b").name == "Task_2.1-b"


def test_code_that_fails_to_load_is_told_with_its_cause(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("TASK = undefined\n")
    with pytest.raises(
        TaskCodeError, match=r"__init__\.py raised NameError: name 'undef"
    ) as caught:
        load_task(tmp_path)
    assert isinstance(caught.value.__cause__, NameError)


def test_make_must_return_an_environment() -> None:
    with pytest.raises(TaskError, match="make of mine must return an Environment, got None"):
        task(lambda seed=0: None).environment()


def test_what_make_raises_is_told_with_its_cause() -> None:
    with pytest.raises(TaskCodeError, match=r"make of mine raised TypeError: .* argument 'looks'"):
        task(lambda seed: None).environment(looks=False)
    with pytest.raises(TaskCodeError, match="make of mine raised ZeroDivisionError") as caught:
        task(lambda seed: 1 // seed).environment(0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_make_without_worlds_is_for_one_world(write_task: Callable[..., Path]) -> None:
    pucks = load_task(write_task())
    with pytest.raises(
        UnsupportedError,
        match=r"pucks runs in one world only, and 3 .* as in make\(worlds=1, seed=0\)",
    ):
        pucks.environment(worlds=3)
    with closing(pucks.environments(3)) as joined:
        assert len(joined) == 3
        assert joined.agents == ("puck",)


def test_a_make_of_worlds_makes_as_many(array_task: Path) -> None:
    slides = load_task(array_task)
    with slides.environment(seed=4, worlds=3) as environment:
        assert len(environment) == 3
        assert environment.slots[:3] == ("puck/0", "disc/0", "puck/1")
        assert isinstance(slides.environments(2), Environment)


@pytest.mark.parametrize("make", [lambda first: None, lambda number, /, *rest: None])
def test_a_make_of_another_form_is_shown_the_right_one(make: Any) -> None:
    with pytest.raises(
        TaskError, match=r"make of mine must be a function make\(worlds=1, seed=0\), got make\("
    ):
        task(make).environment()


def test_a_make_that_forgets_the_worlds_is_told(array_task: Path) -> None:
    made = load_task(array_task).make
    with pytest.raises(TaskError, match=r"an Environment of 3 worlds, got one of 1: pass worlds"):
        task(lambda worlds, seed: made(1, seed)).environment(worlds=3)


def test_a_world_that_is_for_one_only_is_told_with_the_task() -> None:
    def make(worlds: int = 1, seed: int = 0) -> Environment:
        raise UnsupportedError("a Behaviour is for one world")

    with pytest.raises(UnsupportedError, match=r"^a Behaviour is for one world$"):
        task(make).environment()
    with pytest.raises(UnsupportedError, match="mine cannot run in 2 worlds: a Behaviour is for"):
        task(make).environment(worlds=2)


def test_a_policy_on_arrays_stays_one(array_task: Path) -> None:
    """Its errors have the name of the policy."""
    slides = load_task(array_task)
    chase, rngs = slides.policy("chase"), [np.random.default_rng(seed) for seed in (1, 2)]
    assert isinstance(chase, ArrayPolicy)
    with slides.environment() as environment:
        space = environment.action_space["puck"]
        both = chase.act("puck", np.array([[0.5], [-0.2]]), space, rngs)
        alone = chase(environment, np.random.default_rng(2))("puck", np.array([-0.2]))
        assert both[1].tobytes() == alone.tobytes()
        with pytest.raises(TaskCodeError, match="policy 'chase' of slides raised TypeError"):
            chase.act("puck", "nothing", space, rngs)


def test_a_policy_must_be_a_function(write_task: Callable[..., Path]) -> None:
    environment, rng = make_environment(str(write_task())), np.random.default_rng(0)
    lazy = task(chase=lambda environment, rng: None)
    with pytest.raises(
        TaskError, match=r"policy 'chase' of mine must return a function .* got None"
    ):
        lazy.policy("chase")(environment, rng)
    broken = task(chase=lambda environment, rng: lambda agent, seen: seen["speed"])
    with pytest.raises(TaskCodeError, match="policy 'chase' of mine raised TypeError: "):
        broken.policy("chase")(environment, rng)("puck", 3)


def test_who_acts_where_nobody_is_named() -> None:
    """Random actions, if the task has such a policy, or none at all; else its first policy."""
    assert task(chase=None, random=None).default_policy == "random"
    assert task(chase=None, flee=None).default_policy == "chase"
    assert task().default_policy == "random"


def test_random_actions_need_no_policy_of_the_task(write_task: Callable[..., Path]) -> None:
    """They follow from the generator, and leave the samples of the task's own spaces alone."""

    def drawn(environment: Environment, seed: int) -> list[float]:
        act = task().policy("random")(environment, np.random.default_rng(seed))
        return [float(act("puck", None)[0]) for _ in range(3)]

    with make_environment(str(write_task())) as environment:
        space = environment.groups[0].action_space
        space.seed(5)
        before = repr(space.np_random.bit_generator.state)
        assert drawn(environment, 1) == drawn(environment, 1) != drawn(environment, 2)
        assert all(-1.0 <= action <= 1.0 for action in drawn(environment, 3))
        assert repr(space.np_random.bit_generator.state) == before


def test_a_policy_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(TaskError, match="mine has no policy 'best'; it has random, chase"):
        task(chase=None).policy("best")
    with pytest.raises(TaskError, match=r"mine has no policy 'best'; it has random$"):
        task().policy("best")
