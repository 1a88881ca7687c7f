# SPDX-License-Identifier: Apache-2.0
"""Snapshots."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from deepsim_math import Euler, Pose
from deepsim_sync.port.cameras import CameraMount, CameraMounts, Cameras
from deepsim_sync.port.capabilities import Snapshots

from .base import Conformance
from .bench import Bench
from .cameras import CAMERA, spawn_scene
from .models import BOX
from .runs import SCALING, SCENES, Run

ASIDE = CameraMount(Pose((0.1, 0, 0), Euler(0, 0, 0.2)), 1.3)
MIDDLE, END = SCALING + 3, SCALING + 12


class SnapshotCases(Conformance):
    """The capability `Snapshots`; a snapshot has factors and mounts if the simulator has them."""

    @pytest.mark.parametrize("scene", SCENES)
    def test_the_same_bits_follow(self, bench: Bench, snapshots: Snapshots, scene: str) -> None:
        """Each world continues from its snapshot, whatever happened since, in any simulator."""
        run = Run(bench, scene)
        start = snapshots.get_state()
        first = run.rounds(0, MIDDLE)
        middle = _taken(snapshots)
        second = run.rounds(MIDDLE, END)
        for _ in range(2):  # physics as described, and as scaled in the first rounds
            snapshots.set_state(start)
            assert run.rounds(0, MIDDLE) == first
            bench.simulator.reset()
            snapshots.set_state(middle)
            assert run.rounds(MIDDLE, END) == second
        another = self.make_bench(bench.worlds)
        run = Run(another, scene)
        another.simulator.reset()
        assert another.simulator.snapshots is not None
        another.simulator.snapshots.set_state(middle)
        assert run.rounds(MIDDLE, END) == second
        another.close()

    def test_mounts_are_as_they_were(
        self, bench: Bench, snapshots: Snapshots, mounts: CameraMounts, cameras: Cameras
    ) -> None:
        """A restored snapshot brings back the mount and the picture of each camera.

        It does so whether the mount was as described or had been moved.
        """
        spawn_scene(bench)
        bench.alike = False
        last = bench.worlds - 1

        def present() -> list[object]:
            pictures = [cameras.render(CAMERA, world).tobytes() for world in (0, last)]
            return [*pictures, *(mounts.get(CAMERA, world) for world in range(bench.worlds))]

        described, as_described = _taken(snapshots), present()
        mounts.set(CAMERA, ASIDE, np.array([last]))
        aside, with_one_aside = _taken(snapshots), present()
        assert with_one_aside != as_described
        for state, expected in ((described, as_described), (aside, with_one_aside)):
            mounts.set(CAMERA, ASIDE)
            snapshots.set_state(state)
            assert present() == expected
            bench.simulator.reset()

    @pytest.mark.parametrize("more", ["models", "worlds"])
    def test_a_state_of_others_is_refused(
        self, bench: Bench, snapshots: Snapshots, more: str
    ) -> None:
        """A state with other entities or another number of worlds changes nothing."""
        other = self.make_bench(bench.worlds + (more == "worlds"))
        for each in (bench, other):
            each.spawn(BOX, "box", (0, 0, 5))
        if more == "models":
            other.spawn(BOX, "another", (2, 0, 5))
        assert other.simulator.snapshots is not None
        state = _taken(other.simulator.snapshots)
        other.close()
        before = bench.state("box")
        with pytest.raises(ValueError, match="state"):
            snapshots.set_state(state)
        assert bench.state("box") == before


def _taken(snapshots: Snapshots) -> Any:
    """Returns the present state after pickling, as in another process."""
    return pickle.loads(pickle.dumps(snapshots.get_state()))
