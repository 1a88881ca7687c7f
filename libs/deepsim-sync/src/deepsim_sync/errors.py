# SPDX-License-Identifier: Apache-2.0
"""The errors of worlds and simulators.

DeepSimError
├── UnknownEntityError      an unknown name of a model, link, visual or light
├── DuplicateEntityError    a name that is taken already
├── SpawnError              a description that the simulator cannot build
├── WriteRefusedError       rows that the simulator did not accept
├── SimulationError         physics that diverged
├── CallbackError           an exception in a user's callback, with its place
├── NoCurrentWorldError     get_instance() outside any world
├── WrongThreadError        a world used by a thread that it does not belong to
├── ClosedWorldError        a world used after close
└── UnsupportedError        an optional capability that this simulator lacks
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .port.changes import Refusal


class DeepSimError(Exception):
    """Root of every error that DeepSim raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker process must be able to send it home; the default would call the constructor
        # with the message, where most of these take something else.
        return _restored, (type(self), self.args, self.__dict__)


class UnknownEntityError(DeepSimError, KeyError):
    """No entity of this kind has the name.

    >>> print(UnknownEntityError("model", "carr", ["car", "van"]))
    no model is named 'carr'; did you mean 'car'?

    Attributes:
        kind: The kind of entity, such as ``"model"``.
        name: The name that was given.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str] = ()) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"no {kind} is named {name!r}{_hint(name, list(known))}")

    def __str__(self) -> str:  # KeyError would print the quoted repr
        return str(self.args[0])


class DuplicateEntityError(DeepSimError, ValueError):
    """An entity or behaviour of this name exists already."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        how = "remove it from world.behaviours" if kind == "behaviour" else "delete it"
        super().__init__(f"a {kind} named {name!r} exists already: {how} or choose another name")


class SpawnError(DeepSimError):
    """The simulator cannot build a model; the world is as it was before.

    Attributes:
        name: The model that was to be spawned.
    """

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        super().__init__(f"cannot spawn model {name!r}: {reason}")


class WriteRefusedError(DeepSimError):
    """The simulator refused rows of a batch; all other rows were applied.

    >>> world = World(TableSimulator())
    >>> world.spawn(TableModel(static=True), "wall", Pose())
    >>> world.models.twist = (1, 0, 0, 0, 0, 0)
    >>> try:
    ...     world.flush()
    ... except WriteRefusedError as error:
    ...     print(error.refusals[0].reason)
    a static model has no velocity: set its pose

    Attributes:
        refusals: Which rows, and why.
    """

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        self.refusals = tuple(refusals)
        shown = "; ".join(str(refusal) for refusal in self.refusals[:5])
        more = f"; and {len(self.refusals) - 5} more" if len(self.refusals) > 5 else ""
        super().__init__(f"{len(self.refusals)} row(s) refused: {shown}{more}")


class SimulationError(DeepSimError):
    """The physics of some worlds diverged; reset these to go on, all others advanced.

    Example::

        try:
            world.tick()
        except SimulationError as error:
            world.reset(worlds=error.worlds)

    Attributes:
        worlds: The numbers of the worlds that diverged.
    """

    def __init__(self, message: str, worlds: Iterable[int] = (0,)) -> None:
        self.worlds = tuple(int(world) for world in worlds)
        super().__init__(message)


class CallbackError(DeepSimError):
    """An exception in a user's callback; ``__cause__`` is the original.

    >>> print(CallbackError("car", "on_update", 3, KeyError("fuel")))
    car.on_update raised KeyError in tick 3: 'fuel'

    Attributes:
        owner: The behaviour or tracker whose callback raised.
        hook: The name of the callback.
        tick: The world's tick count when it happened.
    """

    def __init__(
        self, owner: str, hook: str | Callable[..., Any], tick: int, error: Exception
    ) -> None:
        while isinstance(hook, partial):
            hook = hook.func
        if not isinstance(hook, str):
            hook = str(getattr(hook, "__name__", type(hook).__name__))
        self.owner = owner
        self.hook = hook
        self.tick = tick
        super().__init__(f"{owner}.{hook} raised {type(error).__name__} in tick {tick}: {error}")


class NoCurrentWorldError(DeepSimError, RuntimeError):
    """``get_instance()`` was called while no world is current."""

    def __init__(self) -> None:
        super().__init__(
            "no world is current in this thread: enter one by `with world:`, "
            "call `world.make_current()`, or pass the world explicitly"
        )


class WrongThreadError(DeepSimError, RuntimeError):
    """A thread used a world that belongs to another one."""

    def __init__(self, owner: str, caller: str) -> None:
        super().__init__(
            f"this world belongs to thread {owner!r}, and {caller!r} used it: let its own thread "
            "do so by `world.post(function)`, or hand the world over by `world.claim()`"
        )


class ClosedWorldError(DeepSimError, RuntimeError):
    """A world was used after `World.close`."""

    def __init__(self) -> None:
        super().__init__("this world is closed: make a new one")


class UnsupportedError(DeepSimError):
    """The simulator, or a world with several worlds, lacks a capability."""


def call_all(callbacks: Iterable[Callable[[], object]]) -> None:
    """Calls all callbacks, even if some raise, and then raises the first error.

    For endings that must not stop halfway, such as a reset or a close.
    """
    first: Exception | None = None
    for callback in callbacks:
        try:
            callback()
        except Exception as error:
            first = error if first is None else first
    if first is not None:
        raise first


def _restored(
    kind: type[DeepSimError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> DeepSimError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


def _hint(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    if not known:
        return "; there are none"
    shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return f"; known: {shown}"
