# SPDX-License-Identifier: Apache-2.0
"""Parts of a task that remember earlier steps: histories, delays and noise of observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import (
    Noise,
    PerWorld,
    SensorNoise,
    World,
    WorldNumbers,
    plain_attributes,
    restore_attributes,
)

Floats = NDArray[np.float64]
Range: TypeAlias = "float | tuple[float, float]"
"""A number, or the least and the largest of numbers that are drawn for each world."""


class TaskPart:
    """Base class of parts of a task, which keep arrays (W, ...) during an episode.

    A part belongs to its world, as robots and effects do: each reset of worlds resets it in these
    worlds, before the hook `Area.reset`, and snapshots of the world contain its attributes with
    plain values.

    >>> class Largest(TaskPart):  # the largest value of the episode so far
    ...     def __init__(self, world):
    ...         super().__init__(world)
    ...         self.value = np.zeros(len(world))
    ...     def reset(self, worlds):
    ...         self.value[worlds] = -np.inf
    ...     def __call__(self, values):
    ...         self.value = np.maximum(self.value, values)
    ...         return self.value
    >>> world = World(TableSimulator(worlds=2))
    >>> largest = Largest(world)
    >>> world.reset()
    >>> largest(np.array([3.0, 1.0]))
    array([3., 1.])
    >>> world.reset(worlds=np.array([0]))
    >>> largest(np.array([2.0, 0.0]))
    array([2., 1.])

    Args:
        world: The W worlds of the task.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        world.get(TaskParts).add(self)

    def reset(self, worlds: WorldNumbers) -> None:
        """Begins new episodes in some worlds, (w,); must not change the other worlds."""

    def get_state(self) -> Any:
        """Returns a copy of the part's attributes with plain values, for a snapshot."""
        return plain_attributes(self)

    def set_state(self, state: Any) -> None:
        """Restores a result of `get_state`."""
        restore_attributes(self, state)


class TaskParts(PerWorld):
    """The parts of a world's task, in the order in which they were made."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._parts: list[TaskPart] = []

    def add(self, part: TaskPart) -> None:
        """Adds a part; called by the constructor of `TaskPart`."""
        self._parts.append(part)

    def reset(self, worlds: WorldNumbers) -> None:
        """Resets all parts in some worlds."""
        for part in self._parts:
            part.reset(worlds)

    def get_state(self) -> Any:
        """Returns the states of all parts."""
        return [(type(part).__name__, part.get_state()) for part in self._parts]

    def set_state(self, state: Any) -> None:
        """Restores the states of all parts; raises ValueError for parts of another task."""
        kept, own = ([name for name, _ in state], [type(part).__name__ for part in self._parts])
        if kept != own:
            raise ValueError(f"the state has the parts {kept}, but the task has {own}")
        for part, (_, each) in zip(self._parts, state, strict=True):
            part.set_state(each)


class Frames(TaskPart):
    """The values of the latest steps, which a subclass selects from.

    A step is a call at another tick than the call before: calls again in the same tick change
    nothing, and worlds that did not tick keep their frames. The first frame of an episode fills all
    frames.

    Args:
        world: The W worlds of the task.
        count: The number of frames.
    """

    def __init__(self, world: World, count: int) -> None:
        super().__init__(world)
        self._count = count
        self._tick = np.full(len(world), -1)  # of the latest frame; -1 before the first
        self._frames: Floats | None = None  # (W, count, ...), oldest first

    def reset(self, worlds: WorldNumbers) -> None:
        """Forgets the frames of some worlds."""
        self._tick[worlds] = -1

    def due(self) -> NDArray[np.bool_]:
        """Returns whether each world ticked or was reset since its latest frame, (W,)."""
        ticked: NDArray[np.bool_] = self._tick != self.world.ticks
        return ticked

    def push(self, values: Floats) -> Floats:
        """Adds values, (W, ...), as the newest frame; returns all frames, (W, count, ...).

        Raises:
            ValueError: The shape is not that of the frames before.
        """
        if self._frames is None:
            if values.ndim < 2 or len(values) != len(self.world):
                raise ValueError(
                    f"{type(self).__name__} takes arrays ({len(self.world)}, ..., n), one row for "
                    f"each world, got {values.shape}"
                )
            self._frames = np.zeros((len(values), self._count, *values.shape[1:]))
        frames = self._frames
        if frames.shape[2:] != values.shape[1:] or len(frames) != len(values):
            before = (len(frames), *frames.shape[2:])
            raise ValueError(f"{type(self).__name__} got {before} before, and now {values.shape}")
        due, first = np.flatnonzero(self.due()), self._tick < 0
        frames[due, :-1] = frames[due, 1:]
        frames[due, -1] = values[due]
        if first.any():
            frames[first] = values[first, None]
        self._tick[due] = self.world.ticks[due]
        return frames


class History(Frames):
    """The values of the latest steps side by side, the oldest first.

    Until an episode has enough steps, its first values stand in for earlier ones.

    >>> world = World(TableSimulator(worlds=1))
    >>> history = History(world, 3)
    >>> for value in (1.0, 2.0, 3.0):
    ...     seen = history(np.full((1, 1), value))
    ...     world.tick()
    >>> seen
    array([[1., 2., 3.]])

    Args:
        world: The W worlds of the task.
        steps: The number of steps, the present one included, >= 1.

    Raises:
        ValueError: `steps` is less than 1.
    """

    def __init__(self, world: World, steps: int) -> None:
        if steps < 1:
            raise ValueError(f"steps of a History must be >= 1, got {steps}")
        super().__init__(world, steps)

    def __call__(self, values: ArrayLike) -> Floats:
        """Adds the values of this step, (W, ..., n), and returns (W, ..., steps * n)."""
        frames = self.push(np.asarray(values, np.float64))
        return np.concatenate([frames[:, step] for step in range(self._count)], axis=-1)


class ActionDelay(Frames):
    """Actions of an earlier step, as after a slow link to the robot.

    Until an episode has enough steps, its first action counts.

    >>> world = World(TableSimulator(worlds=1))
    >>> delay = ActionDelay(world, 1)
    >>> for action in (1.0, 2.0, 3.0):
    ...     print(delay(np.full((1, 1), action)))
    ...     world.tick()
    [[1.]]
    [[1.]]
    [[2.]]

    Args:
        world: The W worlds of the task.
        steps: Steps of the delay, >= 0: an int, or the least and the largest of a number that is
            drawn for each world and episode.

    Attributes:
        steps: Steps of the delay in each world, (W,) int; can be changed in place, up to the
            largest.

    Raises:
        ValueError: `steps` is negative, or not whole numbers in order.
    """

    def __init__(self, world: World, steps: int | tuple[int, int]) -> None:
        self._least, self._most = _whole_range("steps of an ActionDelay", steps)
        super().__init__(world, self._most + 1)
        self.steps = np.full(len(world), self._most)

    def reset(self, worlds: WorldNumbers) -> None:
        """Begins new episodes in some worlds, and draws their delays."""
        super().reset(worlds)
        if self._least < self._most:
            self.steps[worlds] = _drawn(self.world, (self._least, self._most), worlds)

    def __call__(self, actions: ArrayLike) -> Floats:
        """Adds the actions of this step, (W, ..., n), and returns the delayed ones."""
        frames = self.push(np.asarray(actions, np.float64))
        latest = self._most - np.clip(self.steps, 0, self._most)
        delayed: Floats = frames[np.arange(len(frames)), latest]
        return delayed


class Observations(Frames):
    """Joins named observations in one array, with noise, delays and a history as declared.

    Each number has its own noise, and each world its own random numbers. Noise is added first, then
    observations are delayed, then joined with those of earlier steps.

    >>> world = World(TableSimulator(worlds=2), seed=1)
    >>> world.reset()
    >>> sense = Observations(world, noise={"position": 0.01}, delay={"image": 2}, history=3)
    >>> sense({"position": np.zeros((2, 2)), "image": np.zeros((2, 8))}).shape
    (2, 30)

    Args:
        world: The W worlds of the task.
        noise: Noise by name: a standard deviation, a `Noise` (with bias, drift and rounding), or a
            sequence of one for each number along the last axis.
        delay: Steps of delay by name: an int, or the least and the largest of a number that is
            drawn for each world and episode.
        history: The number of steps that the result holds, the present one included, >= 1.

    Attributes:
        delays: Steps of delay in each world, (W,) int, by name; can be changed in place, up to the
            largest.

    Raises:
        ValueError: A delay or the history is invalid.
    """

    def __init__(
        self,
        world: World,
        *,
        noise: Mapping[str, float | Noise | Sequence[float | Noise]] | None = None,
        delay: Mapping[str, int | tuple[int, int]] | None = None,
        history: int = 1,
    ) -> None:
        self._ranges = {
            name: _whole_range(f"delay of {name!r}", steps) for name, steps in (delay or {}).items()
        }
        most = max((most for _, most in self._ranges.values()), default=0)
        super().__init__(world, most + 1)
        self._noise = dict(noise or {})
        self.delays = {name: np.full(len(world), most) for name, (_, most) in self._ranges.items()}
        self._history = History(world, history)
        self._sizes: dict[str, int] = {}
        self._model: SensorNoise | None = None
        self._model_state: Any = None  # that of a snapshot, until the first call

    def reset(self, worlds: WorldNumbers) -> None:
        """Begins new episodes in some worlds, and draws their delays and biases."""
        super().reset(worlds)
        if self._model is not None:
            self._model.reset(worlds)
        for name, (least, most) in self._ranges.items():
            if least < most:
                self.delays[name][worlds] = _drawn(self.world, (least, most), worlds)

    def __call__(self, observations: Mapping[str, ArrayLike]) -> Floats:
        """Returns the observations of the hook `Area.observe`, in the order of the mapping.

        Args:
            observations: (W, ..., n) by name; the axes before the last one are the same for all.

        Returns:
            (W, ..., history * N) for N numbers in all, the oldest step first.

        Raises:
            ValueError: A name is unknown, or a shape does not fit.
        """
        exact = [np.asarray(each, np.float64) for each in observations.values()]
        sizes = {
            name: each.shape[-1] if each.ndim else 0
            for name, each in zip(observations, exact, strict=True)
        }
        if sizes != self._sizes:
            self._begin(sizes)
        try:
            values = np.concatenate(exact, axis=-1)
        except ValueError as error:
            shapes = {name: np.shape(each) for name, each in observations.items()}
            raise ValueError(
                f"Observations joins arrays along their last axis: {shapes}"
            ) from error
        flat = values.reshape(len(values), -1)
        if self._noise:
            model = self._noise_model(values.size // max(len(values) * values.shape[-1], 1))
            flat = model.add({"": flat}, self.due(), self.world.time)[""]
        frames = self.push(flat)
        if self.delays:
            delays = [self.delays.get(name, np.zeros(len(values), int)) for name in sizes]
            lag = np.repeat(np.stack(delays, axis=1), list(sizes.values()), axis=1)
            latest = self._count - 1 - np.clip(lag, 0, self._count - 1)
            latest = np.tile(latest, flat.shape[1] // lag.shape[1])
            delayed = np.take_along_axis(frames, latest[:, None], axis=1)[:, 0]
        else:
            delayed = frames[:, -1]
        return self._history(delayed.reshape(values.shape))

    def _begin(self, sizes: dict[str, int]) -> None:
        """Checks the names and sizes of the first call, which all later ones must have."""
        if self._sizes:
            raise ValueError(f"Observations got the sizes {self._sizes} before, and now {sizes}")
        for setting, names in (("noise", self._noise), ("delay", self._ranges)):
            for name in names:
                if name not in sizes:
                    raise ValueError(
                        f"{setting} is declared for {name!r}, but the observations are "
                        f"{', '.join(sizes)}"
                    )
        self._sizes = sizes

    def _noise_model(self, agents: int) -> SensorNoise:
        """Returns the noise of all numbers of a world; made at the first call."""
        if self._model is None:
            columns: list[Noise] = []
            for name, size in self._sizes.items():
                given = self._noise.get(name, Noise())
                several = [given] * size if isinstance(given, (int, float, Noise)) else given
                if len(several) != size:
                    raise ValueError(
                        f"noise of {name!r} must be one, or one for each of its {size} numbers, "
                        f"got {len(several)}"
                    )
                columns += [
                    each if isinstance(each, Noise) else Noise(stddev=each) for each in several
                ]
            self._model = SensorNoise({"": columns * agents}, self.world.rngs)
            if self._model_state is not None:
                self._model.set_state(self._model_state)
        return self._model

    def get_state(self) -> Any:
        """Returns the frames, delays and noise, for a snapshot."""
        noise = self._model_state if self._model is None else self._model.get_state()
        return super().get_state(), noise

    def set_state(self, state: Any) -> None:
        """Restores a result of `get_state`."""
        frames, noise = state
        super().set_state(frames)
        self._model_state = noise
        if self._model is not None:
            if self._model_state is None:
                self._model.reset(np.arange(len(self.world)))
            else:
                self._model.set_state(self._model_state)


def _whole_range(what: str, steps: int | tuple[int, int]) -> tuple[int, int]:
    """Returns the least and the largest of a number of steps.

    Raises:
        ValueError: They are not whole numbers with 0 <= least <= largest.
    """
    least, most = steps if isinstance(steps, (tuple, list)) else (steps, steps)
    if int(least) != least or int(most) != most or not 0 <= least <= most:
        raise ValueError(
            f"{what} must be a whole number >= 0, or two in ascending order, got {steps!r}"
        )
    return int(least), int(most)


def _drawn(world: World, limits: tuple[int, int], worlds: WorldNumbers) -> NDArray[np.int64]:
    """Draws a whole number of steps for each of some worlds, (w,), both limits included."""
    least, most = limits
    return np.floor(world.uniform(least, most + 1, (), worlds)).astype(np.int64)
