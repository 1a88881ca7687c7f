# SPDX-License-Identifier: Apache-2.0
"""A live view of an environment, which it steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from math import nan
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from deepsim_envs import Environment, Recorder

from .panel.drive_folder import DriveFolder
from .panel.live_plot import LivePlot
from .panel.observation_plot import ObservationPlot
from .viewer import Viewer

SlotPolicy: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Takes observations by slot, and returns an action for each."""


class EnvironmentViewer:
    """Plays episode after episode in the browser.

    Example::

        with EnvironmentViewer(environment, policy) as viewer:
            print(viewer.url)
            viewer.run()

    Args:
        environment: The environment; the viewer is made in the thread that it belongs to.
        policy: Who acts.
        seed: Of the first episode; later ones go on with the random numbers.
        speed: As of `Viewer`.
        demonstrations: A new file of all episodes, driven by hand or not, as
            `deepsim_envs.Recorder` writes it: `deepsim_envs.replay` runs them again, bit for bit.
            Episode n then has the seed ``seed + n``.
        settings: Other arguments of `Viewer`. Its `trees` are by default those that the area has in
            an attribute of this name, if it has one.

    Attributes:
        environment: As given.
        viewer: The view of its world.
        url: The address of the page.
        episodes: How many episodes have begun.
    """

    def __init__(
        self,
        environment: Environment,
        policy: SlotPolicy,
        *,
        seed: int | None = 0,
        speed: float | None = 1.0,
        demonstrations: str | Path | None = None,
        **settings: Any,
    ) -> None:
        self.environment = environment
        self.episodes = 0
        self._policy = policy
        self._observation: Mapping[str, Any] = {}
        self._lock = threading.Lock()
        self._wanted: int | None = None  # the seed of a reset that a browser asks for
        self._recorder = (
            Recorder(environment, demonstrations) if demonstrations is not None else None
        )
        self._seed = seed if seed is not None else 0
        self._begin(seed)
        settings.setdefault("trees", getattr(environment.area, "trees", None))
        self.viewer = Viewer(environment.world, speed=speed, reset=self._ask, **settings)
        self.url = self.viewer.url
        self._drive = DriveFolder(self.viewer.server, environment)
        gui = self.viewer.server.gui
        self._rewards = LivePlot(gui, "Plot the rewards", "rewards", environment.slots)
        self._observations = ObservationPlot(gui, environment.slots)

    def run(self, steps: int | None = None) -> None:
        """Steps the environment.

        Args:
            steps: How many environment steps; None for as long as nobody interrupts.
        """
        done = 0
        while steps is None or done < steps:
            self.step()
            done += 1

    def step(self) -> None:
        """Has the policy act once; begins an episode first if one was asked for, or is over."""
        with self._lock:
            seed, self._wanted = self._wanted, None
        if seed is not None:
            self._begin(seed)
            self.viewer.control.let_pass(False)
            self.viewer.show()
        elif not self.environment.live_agents:
            self._begin(None)
        actions = self._drive.override(self._policy(self._observation))
        result = (self._recorder or self.environment).step(actions)
        now = float(self.environment.world.time[0])
        slots = self.environment.slots
        self._rewards.add(now, lambda: [result.reward.get(slot, nan) for slot in slots])
        self._observations.add(now, result.observation)
        self._observation = {
            slot: result.observation[slot] for slot in self.environment.live_agents
        }

    def close(self) -> None:
        """Closes the view; the environment stays as it is."""
        self.viewer.close()
        if self._recorder is not None:
            self._recorder.close()

    def __enter__(self) -> EnvironmentViewer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _begin(self, seed: int | None) -> None:
        if self._recorder is None:
            self._observation, _ = self.environment.reset(seed)
        else:
            self._observation, _ = self._recorder.reset(
                seed if seed is not None else self._seed + self.episodes
            )
        self.episodes += 1

    def _ask(self, seed: int) -> None:
        """Has the next step begin with a reset; a step that is held goes on to its end."""
        with self._lock:
            self._wanted = seed
        self.viewer.control.let_pass(True)
