# SPDX-License-Identifier: Apache-2.0
"""What is told of the ends of episodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from deepsim_train.training.progress import WINDOW, EpisodeEnds


def ends_of(*infos: dict[str, Any]) -> EpisodeEnds:
    ends = EpisodeEnds(["car"])
    ends.add([{"episode": {"r": 1.0}, **info} for info in infos])
    return ends


@pytest.mark.parametrize("kind", [bool, np.bool_, int, float, np.int64, np.float32])
def test_numbers_and_truth_values_are_averaged(kind: Any) -> None:
    means = ends_of({"crashed": kind(1)}, {"crashed": kind(0)}, {"crashed": kind(1)}).means()
    assert means == {"end/crashed": pytest.approx(2 / 3)}


def test_what_an_episode_does_not_have_does_not_count() -> None:
    means = ends_of({"lap": None}, {"lap": 12.5}, {}, {"lap": 13.5}, {"lap": "none"}).means()
    assert means == {"end/lap": 13.0, "end/lap=none": 0.2}


def test_of_words_the_share_is_told_also_when_it_is_none() -> None:
    ends = ends_of({"by": "crash"}, {"by": "arrival"}, {"by": "crash"}, {})
    assert ends.means() == {"end/by=arrival": 0.25, "end/by=crash": 0.5}
    ends.add([{"episode": {"r": 1.0}, "by": "arrival"}] * WINDOW)
    assert ends.means() == {"end/by=arrival": 1.0, "end/by=crash": 0.0}


def test_ever_new_words_fill_no_table() -> None:
    ends = ends_of(*({"id": f"episode {number}", "by": "crash"} for number in range(5000)))
    assert ends.means() == {"end/by=crash": 1.0}


def test_episodes_that_go_on_tell_nothing() -> None:
    ends = EpisodeEnds(["car"])
    ends.add([{"crashed": True}, {"episode": {"r": 1.0}, "TimeLimit.truncated": True}])
    assert ends.means() == {}


def test_each_of_several_agents_has_its_own_reward() -> None:
    """The first slots are those of world 0, and so on."""
    ends = EpisodeEnds(["wolf", "sheep"])
    assert ends.rewards() == {}
    ends.add([{"episode": {"r": 2.0}}, {"episode": {"r": -2.0}}, {"episode": {"r": 4.0}}, {}])
    assert ends.rewards() == {"wolf": 3.0, "sheep": -2.0}
    assert ends.means() == {"reward/wolf": 3.0, "reward/sheep": -2.0}
