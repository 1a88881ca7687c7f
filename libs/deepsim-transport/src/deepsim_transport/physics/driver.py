# SPDX-License-Identifier: Apache-2.0
"""Steps, resets and changes of a served simulator, or of a world with what runs in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Cells, Changes, Key, Refusal, Seeds, Simulator, World, WorldNumbers


class Driver:
    """Steps, resets and changes a simulator, and holds wrenches on its links.

    Args:
        simulator: The simulator.

    Attributes:
        steps: The number of physics steps by which it advances, or a multiple of it.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.simulator, self.steps = simulator, 1
        self._held: dict[str, NDArray[np.float64]] = {}  # (W, 6) by link
        self._time = simulator.time  # at the last look for resets

    def hold(self, link: str, wrench: NDArray[np.float64]) -> None:
        """Lets a wrench (6,) [N, N m] act on a link in every step; one of zeros ends it."""
        self._drop()
        self._held.pop(link, None)
        if wrench.any():
            self._held[link] = np.tile(wrench, (self.simulator.worlds, 1))

    def held(self, link: str) -> NDArray[np.float64]:
        """Returns the wrench that is held on a link of the first world, (6,) [N, N m]."""
        return self._held[link][0] if link in self._held else np.zeros(6)

    def step(
        self, n: int, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies a batch of changes, unless some are refused, then advances by `n` steps."""
        if not self._held:
            return self.simulator.step(n, worlds, changes)
        if changes is not None and (refused := self.write(changes)):
            return refused
        self._press()
        refused = self.simulator.step(n, worlds)
        self._drop()
        return refused

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds to time 0."""
        self.simulator.reset(worlds, seeds)

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch of changes; returns those that are refused."""
        return self.simulator.write(changes)

    def claim(self) -> None:
        """Lets the calling thread step; a simulator belongs to no thread."""

    def _drop(self) -> None:
        """Ends wrenches in worlds that were reset, and on links that are gone."""
        now, links = self.simulator.time, self.simulator.entities.links
        restarted, self._time = now < self._time, now
        self._held = {name: each for name, each in self._held.items() if name in links}
        for wrenches in self._held.values():
            wrenches[restarted] = 0.0

    def _press(self) -> None:
        """Sends the held wrenches."""
        self._drop()
        if not self._held:
            return
        entities = self.simulator.entities
        worlds = np.arange(self.simulator.worlds)
        rows = entities.links.rows([*self._held])
        values = np.concatenate([*self._held.values()])
        every, each = np.tile(worlds, len(rows)), np.repeat(rows, len(worlds))
        force, torque = Cells(every, each, values[:, :3]), Cells(every, each, values[:, 3:])
        cells: dict[Key, Cells] = {("links", "force"): force, ("links", "torque"): torque}
        self.write(Changes(entities.generation, cells))


class WorldDriver(Driver):
    """Steps a world with its behaviours and trackers, or an environment.

    Args:
        world: The world.
        advance: Advances the world once; by default `World.tick`.
        steps: Physics steps in one call of `advance`; by default those of a tick.
        reset: Resets all worlds, given their seeds; by default `World.reset`, which also resets
            some of them.

    >>> from deepsim_mujoco import MujocoSimulator
    >>> world = World(MujocoSimulator(), steps_per_tick=10)
    >>> WorldDriver(world).step(20)
    ()
    >>> world.ticks.tolist()
    [2]
    >>> world.close()
    """

    def __init__(
        self,
        world: World,
        advance: Callable[[], object] | None = None,
        steps: int | None = None,
        reset: Callable[[Seeds], object] | None = None,
    ) -> None:
        super().__init__(world.simulator)
        self.world, self._reset = world, reset
        self._advance = advance or world.tick
        self.steps = steps or world.steps_per_tick

    def step(
        self, n: int, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies a batch of changes, then advances the world.

        Raises:
            ValueError: `n` is not a multiple of the steps of the world, or only some worlds are to
                advance.
        """
        if n % self.steps:
            raise ValueError(
                f"what runs in this world advances by {self.steps} physics steps at once: n must "
                f"be a multiple, got {n}"
            )
        self._require_all(worlds)
        if changes is not None and (refused := self.write(changes)):
            return refused
        for _ in range(n // self.steps):
            self._press()
            self._advance()
            self._drop()
        return ()

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds, with their behaviours and trackers; an environment resets all."""
        if self._reset is None:
            self.world.reset(seeds, worlds)
        else:
            self._require_all(worlds)
            self._reset(seeds)

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch of changes, which the world sees at once."""
        self.world.flush()
        refused = self.simulator.write(changes)
        self.world.cache.forget(appearance=True)
        return refused

    def claim(self) -> None:
        """Hands the world over to the calling thread."""
        self.world.claim()

    def _require_all(self, worlds: WorldNumbers | None) -> None:
        if worlds is not None and len(worlds) != self.simulator.worlds:
            raise ValueError(f"all {self.simulator.worlds} worlds act together, not some")
