# SPDX-License-Identifier: Apache-2.0
"""Options of a reset reach the task, through every view, and hold for this reset alone."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_envs import Environment, GymnasiumEnv, GymnasiumVectorEnv, digest
from deepsim_envs.pettingzoo import PettingZooEnv
from deepsim_math import Pose


@pytest.fixture
def make_far(rink_area, make_worlds_env):
    """Makes a rink on arrays whose pucks begin at the x that the options say, or at 0."""

    class Far(rink_area):
        def reset(self, worlds):
            super().reset(worlds)
            pose = np.tile(np.asarray(Pose()), (len(worlds), 2, 1))
            pose[..., 0] = self.reset_options.get("x", 0.0)
            self.pucks.put(worlds, pose=pose)

    return lambda worlds: make_worlds_env(Far, worlds)


def test_they_reach_an_area_on_arrays(make_far):
    """In the worlds that are reset."""
    environment = make_far(3)
    (seen,) = environment.reset_worlds(0, options={"x": 0.5})
    assert seen[..., 0].tolist() == [[0.5, 0.5]] * 3
    (seen,) = environment.reset_worlds(worlds=[1], options={"x": 0.25})
    assert seen[..., 0].tolist() == [[0.5, 0.5], [0.25, 0.25], [0.5, 0.5]]
    (seen,) = environment.reset_worlds()
    assert not seen[..., 0].any()


def test_they_reach_a_task_with_objects(rink, puck):
    class Asked(type(rink(puck("c")))):
        def reset(self):
            super().reset()
            self.asked = dict(self.reset_options)

    environment = Environment(Asked([puck("a")]))
    environment.reset(0, {"level": 3})
    assert environment.area.asked == {"level": 3}
    state = environment.get_state()
    environment.reset()
    assert environment.area.asked == {}
    environment.set_state(state)
    assert environment.area.asked == {"level": 3}
    assert environment.area.reset_options == {}


def test_views_pass_them_on(make_far):
    def still(environment, rng):
        return lambda name, seen: np.zeros(2, np.float32)

    seen, _ = GymnasiumEnv(make_far(1), agent="a", others=still).reset(seed=0, options={"x": 0.5})
    assert seen[0] == 0.5
    view = GymnasiumVectorEnv(make_far(3), agent="a", others=still)
    seen, _ = view.reset(seed=0, options={"x": 0.5})
    assert seen[:, 0].tolist() == [0.5] * 3
    mask = np.array([False, True, False])
    seen, _ = view.reset(options={"reset_mask": mask, "x": 0.25})
    assert seen[:, 0].tolist() == [0.5, 0.25, 0.5]
    seen, _ = PettingZooEnv(make_far(2)).reset(seed=0, options={"x": 0.5})
    assert {name: each[0] for name, each in seen.items()} == dict.fromkeys(
        ["a/0", "b/0", "a/1", "b/1"], 0.5
    )


def test_without_options_an_episode_is_as_before(make_far):
    one, other = make_far(2), make_far(2)
    assert digest(one.reset_worlds(3)) == digest(other.reset_worlds(3, options={}))


def test_the_observation_of_that_reset_sees_them(rink_area, make_worlds_env):
    """And that of the next step does not."""

    class Looking(rink_area):
        def observe(self):
            self.asked = dict(self.reset_options)
            return super().observe()

    environment = make_worlds_env(Looking, 2)
    environment.reset_worlds(0, options={"level": 3})
    assert environment.area.asked == {"level": 3}
    environment.step_worlds((np.zeros((2, 2, 2), np.float32),))
    assert environment.area.asked == {}


def test_one_dict_holds_them_for_all_worlds(make_far):
    view = GymnasiumVectorEnv(make_far(2), agent="a", others=lambda e, r: lambda n, s: np.zeros(2))
    with pytest.raises(TypeError, match="options must be one dict for all worlds"):
        view.reset(seed=0, options=[{"x": 0.5}, {"x": 0.25}])
