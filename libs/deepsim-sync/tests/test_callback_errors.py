# SPDX-License-Identifier: Apache-2.0
"""An exception in a user's callback: told with its place, and the world goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_sync import (
    Behaviour,
    CallbackError,
    DeepSimError,
    Transform,
    UnknownEntityError,
    World,
)
from deepsim_sync.testing import TableSimulator


class Faulty(Behaviour):
    """Every hook raises while `broken`."""

    broken = True

    def fail(self) -> None:
        if self.broken:
            raise ZeroDivisionError("by design")

    def on_spawn(self) -> None:
        self.fail()

    def on_delete(self) -> None:
        self.fail()

    def on_enable(self) -> None:
        self.fail()

    def on_disable(self) -> None:
        self.fail()

    def on_reset(self) -> None:
        self.fail()

    def on_update(self) -> None:
        self.fail()

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        self.fail()


def enable(behaviour: Behaviour) -> None:
    behaviour.enabled = False
    behaviour.enable()


CALLS: dict[str, Callable[[Behaviour], None]] = {
    "on_spawn": Behaviour.spawn,
    "on_delete": Behaviour.delete,
    "on_enable": enable,
    "on_disable": Behaviour.disable,
    "on_reset": Behaviour.reset,
    "on_update": Behaviour.update,
    "on_fixed_update": lambda behaviour: behaviour.world.tick(),
}


@pytest.mark.parametrize("hook", CALLS)
def test_the_error_names_behaviour_hook_and_tick(world: World, spawner: Any, hook: str) -> None:
    """The original error is its cause, and is in its message."""
    behaviour = Faulty("new" if hook == "on_spawn" else "ball", spawner=spawner())
    behaviour.broken = False
    behaviour.enabled = hook != "on_spawn"
    world.tick()
    world.tick()
    behaviour.broken = True
    with pytest.raises(CallbackError) as caught:
        CALLS[hook](behaviour)
    error = caught.value
    assert (error.owner, error.hook, error.tick) == (behaviour.name, hook, 2)
    assert str(error) == (f"{behaviour.name}.{hook} raised ZeroDivisionError in tick 2: by design")
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert isinstance(error, DeepSimError)
    behaviour.broken = False
    world.tick()
    assert world.ticks == 3


class Divider:
    """An object that can be called, and has no ``__name__``."""

    def __call__(self, *times: float) -> float:
        return 1.0 / 0.0


@pytest.mark.parametrize(
    ("hook", "name"),
    [
        (Divider(), "Divider"),
        (partial(Divider()), "Divider"),
        (partial(partial(divmod, 1), 0), "divmod"),
    ],
    ids=["object", "partial of an object", "partial of a partial"],
)
def test_a_hook_without_a_name_keeps_its_error(
    world: World, hook: Callable[..., None], name: str
) -> None:
    """A behaviour's own hook may be anything that can be called."""
    behaviour = Behaviour("ball")
    behaviour.on_update = hook
    with pytest.raises(CallbackError, match=rf"^ball\.{name} raised ZeroDivisionError") as caught:
        behaviour.update()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    behaviour.get_state = hook
    with pytest.raises(CallbackError, match=rf"^ball\.{name} raised ZeroDivisionError"):
        world.get_state()


def test_the_physics_stands_still_in_a_failed_tick(world: World, simulator: TableSimulator) -> None:
    """What was set before the error is kept, and is sent by the next tick that succeeds."""
    first, second = Behaviour("ball"), Faulty("robot")
    first.on_fixed_update = lambda delta_time, sim_time: setattr(
        first.transform, "pose", Pose((sim_time + 1, 0, 0))
    )
    with pytest.raises(CallbackError):
        world.tick()
    assert (world.time, world.ticks) == (0.0, 0)
    assert simulator.calls("write") == simulator.calls("step") == []
    assert first.transform.pose == Pose((1, 0, 0))
    second.broken = False
    world.tick()
    assert (world.time, world.ticks) == (0.01, 1)
    assert [call.method for call in simulator.log if call.method != "read"] == ["write", "step"]


def test_those_after_the_faulty_one_do_not_run(world: World) -> None:
    """The tick ends where the error happened."""
    Faulty("ball")
    calls: list[float] = []
    Behaviour("robot").on_fixed_update = lambda delta_time, sim_time: calls.append(sim_time)
    with pytest.raises(CallbackError, match="ball"):
        world.tick()
    assert calls == []


def test_a_users_tracker_is_named_by_its_class(world: World) -> None:
    """Trackers have no names of their own."""

    class Referee:
        def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
            Transform(world, "bell").pose  # noqa: B018 (raises)

    world.trackers.add(Referee())
    with pytest.raises(CallbackError, match=r"^Referee.update_tracker raised Unknown") as caught:
        world.tick()
    assert isinstance(caught.value.__cause__, UnknownEntityError)
    assert caught.value.hook == "update_tracker"


def test_an_error_within_an_error_names_the_innermost_callback(world: World) -> None:
    """A behaviour that resets a faulty one is not blamed for it."""
    faulty = Faulty("ball")
    Behaviour("robot").on_fixed_update = lambda delta_time, sim_time: faulty.reset()
    faulty.enabled = False
    with pytest.raises(CallbackError) as caught:
        world.tick()
    assert (caught.value.owner, caught.value.hook) == ("ball", "on_reset")


def test_an_interrupt_is_not_wrapped(world: World) -> None:
    """Ctrl-C ends the program, as ever."""

    def interrupt(delta_time: float, sim_time: float) -> None:
        raise KeyboardInterrupt

    Behaviour("ball").on_fixed_update = interrupt
    with pytest.raises(KeyboardInterrupt):
        world.tick()


def test_a_hook_that_fails_changes_no_switch(world: World) -> None:
    """A behaviour whose on_enable or on_disable raised is as enabled as it was."""
    behaviour = Faulty("ball")
    with pytest.raises(CallbackError):
        behaviour.disable()
    assert behaviour.enabled
    behaviour.enabled = False
    with pytest.raises(CallbackError):
        behaviour.enable()
    assert not behaviour.enabled
