# SPDX-License-Identifier: Apache-2.0
"""The errors of worlds and simulators.

DeepSimError
├── UnknownEntityError      no entity has the name
├── DuplicateEntityError    the name is in use
├── SpawnError              the simulator cannot build a model
├── WriteRefusedError       the simulator refused rows
├── SimulationError         the physics diverged
├── CallbackError           a user's callback raised an exception
├── NoCurrentWorldError     get_instance() was called outside any world
├── WrongThreadError        a thread used a world that belongs to another thread
├── ClosedWorldError        a world was used after close
└── UnsupportedError        the simulator lacks an optional capability
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .port.changes import Refusal


class DeepSimError(Exception):
    """Root of every error that DeepSim raises on purpose.

    >>> try:
    ...     World(TableSimulator()).delete("car")
    ... except DeepSimError as error:
    ...     print(error)
    no model is named 'car'; there are none
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # For worker processes: the default would call the constructor with the message alone.
        return _restored, (type(self), self.args, self.__dict__)


class UnknownEntityError(DeepSimError, KeyError):
    """No entity of a kind has the given name.

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
    """An entity or behaviour with this name exists already.

    >>> print(DuplicateEntityError("model", "car"))
    a model named 'car' exists already: delete it or choose another name
    """

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        how = "remove it from world.behaviours" if kind == "behaviour" else "delete it"
        super().__init__(f"a {kind} named {name!r} exists already: {how} or choose another name")


class SpawnError(DeepSimError):
    """The simulator cannot build a model; the world is unchanged.

    >>> print(SpawnError("car", "it has no links"))
    cannot spawn model 'car': it has no links

    Attributes:
        name: Name of the model.
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
        refusals: The refused rows, with reasons.
    """

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        self.refusals = tuple(refusals)
        shown = "; ".join(str(refusal) for refusal in self.refusals[:5])
        more = f"; and {len(self.refusals) - 5} more" if len(self.refusals) > 5 else ""
        super().__init__(f"{len(self.refusals)} row(s) refused: {shown}{more}")


class SimulationError(DeepSimError):
    """The physics of some worlds diverged. They must be reset; all others advanced.

    >>> world = World(TableSimulator(worlds=3))
    >>> world.spawn(TableModel(), "ball", Pose())
    >>> world.models.put(worlds=[1], twist=(1e200, 0, 0, 0, 0, 0))
    >>> try:
    ...     world.tick()
    ... except SimulationError as error:
    ...     world.reset(worlds=error.worlds)
    >>> world.ticks
    array([1, 0, 1])

    Attributes:
        worlds: Numbers of the worlds that diverged.
    """

    def __init__(self, message: str, worlds: Iterable[int] = (0,)) -> None:
        self.worlds = tuple(int(world) for world in worlds)
        super().__init__(message)


class CallbackError(DeepSimError):
    """An exception in a user's callback; ``__cause__`` is the original.

    >>> print(CallbackError("car", "on_update", 3, KeyError("fuel")))
    car.on_update raised KeyError in tick 3: 'fuel'

    Attributes:
        owner: Name of the behaviour or tracker whose callback raised the exception.
        hook: Name of the callback.
        tick: Tick count of the world at that time.
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
    """``get_instance()`` was called while no world is current.

    >>> try:
    ...     TrackerManager.get_instance()
    ... except NoCurrentWorldError:
    ...     print("no world is current")
    no world is current
    """

    def __init__(self) -> None:
        super().__init__(
            "no world is current in this thread: enter one by `with world:`, "
            "call `world.make_current()`, or pass the world explicitly"
        )


class WrongThreadError(DeepSimError, RuntimeError):
    """A thread used a world that belongs to another thread.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> world = World(TableSimulator())
    >>> with ThreadPoolExecutor() as pool:
    ...     isinstance(pool.submit(world.tick).exception(), WrongThreadError)
    True
    """

    def __init__(self, owner: str, caller: str) -> None:
        super().__init__(
            f"this world belongs to thread {owner!r}, and {caller!r} used it: let its own thread "
            "do so by `world.post(function)`, or hand the world over by `world.claim()`"
        )


class ClosedWorldError(DeepSimError, RuntimeError):
    """A world was used after `World.close`.

    >>> world = World(TableSimulator())
    >>> world.close()
    >>> world.tick()
    Traceback (most recent call last):
    deepsim_sync.errors.ClosedWorldError: this world is closed: make a new one
    """

    def __init__(self) -> None:
        super().__init__("this world is closed: make a new one")


class UnsupportedError(DeepSimError):
    """The simulator lacks a capability, or the feature is for W = 1 only.

    >>> try:
    ...     World(TableSimulator()).render(CameraView(Pose()))
    ... except UnsupportedError as error:
    ...     print(error)
    TableSimulator takes no pictures
    """


def call_all(callbacks: Iterable[Callable[[], object]]) -> None:
    """Calls all callbacks, even if some raise, and then raises the first error."""
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


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """Returns the end of a message about an unknown name: at most so many similar names, or ""."""
    close = difflib.get_close_matches(name, list(known), n=most)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _hint(name: str, known: list[str]) -> str:
    if similar := did_you_mean(name, known):
        return similar
    if not known:
        return "; there are none"
    shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return f"; known: {shown}"
