# SPDX-License-Identifier: Apache-2.0
"""Files of episodes that run again bit for bit."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple

from deepsim_envs import Recorder, ReplayError, digest, replay


@pytest.fixture
def recorded(make_env, tmp_path):
    """The file of two episodes, and what their steps gave."""
    env, path, results = make_env(frame_skip=4), tmp_path / "run.jsonl", []
    rng = np.random.default_rng(0)
    with Recorder(env, path) as recorder:
        for seed in (1, 2):
            recorder.reset(seed)
            while env.live_agents:
                actions = {name: rng.uniform(0.0, 1.0, 2).tolist() for name in "ab"}
                results.append(digest(tuple(recorder.step(actions))))
    return env, path, results


def test_a_replay_gives_every_step_again(recorded):
    env, path, results = recorded
    assert [digest(tuple(result)) for result in replay(env, path)] == results


def test_all_worlds_are_recorded(make_rink, tmp_path):
    env, path, results = make_rink(3), tmp_path / "run.jsonl", []
    rng = np.random.default_rng(0)
    with Recorder(env, path) as recorder:
        recorder.reset(1)
        while env.live_agents:
            actions = {name: rng.uniform(0.0, 1.0, 2) for name in env.live_agents}
            results.append(digest(tuple(recorder.step(actions))))
    assert [digest(tuple(result)) for result in replay(make_rink(3), path)] == results
    with pytest.raises(ReplayError, match=r"is of agents \['a/0', .*, but there are \['a', 'b'\]"):
        next(replay(make_rink(), path))


def test_a_replay_may_end_early(recorded):
    env, path, results = recorded
    assert digest(tuple(next(replay(env, path)))) == results[0]


@pytest.mark.parametrize(
    "space",
    [
        Box(-1.0, 1.0, (2, 3)),
        Box(-1.0, 1.0, (2,), np.float64),
        Box(0, 255, (4,), np.uint8),
        Discrete(5, start=-2),
        MultiDiscrete([3, 4]),
        MultiBinary(4),
        Text(6),
        Dict({"a": Discrete(3), "b": Tuple((Box(-1.0, 1.0, (1,)), Discrete(2)))}),
    ],
    ids=lambda space: type(space).__name__,
)
def test_actions_of_every_kind_of_space_come_back_exactly(make_echo, tmp_path, space):
    env = make_echo(space)
    space.seed(3)
    with Recorder(env, tmp_path / "run.jsonl") as recorder:
        recorder.reset(0)
        for _ in range(5):
            recorder.step({"a": space.sample()})
    # The agent observes what it was told, so that the digests compare the actions. Its first
    # observation is what it said last, which belongs to no seed: that one is not compared.
    lines = (tmp_path / "run.jsonl").read_text().splitlines()
    start = json.loads(lines[1])
    start["digest"] = digest(env.reset(0))
    lines[1] = json.dumps(start)
    (tmp_path / "run.jsonl").write_text("\n".join(lines))
    assert len(list(replay(env, tmp_path / "run.jsonl"))) == 5


def change(path, number, **fields):
    lines = path.read_text().splitlines()
    lines[number - 1] = json.dumps({**json.loads(lines[number - 1]), **fields})
    path.write_text("\n".join(lines))


@pytest.mark.parametrize(
    ("number", "fields", "message"),
    [
        (1, {"format": "else"}, "is not a replay of version 1"),
        (1, {"agents": ["a", "x"]}, r"is of agents \['a', 'x'\], but there are \['a', 'b'\]"),
        (2, {"seed": 3}, "line 2: reset differs from"),
        (
            3,
            {"actions": {"a": [[0, 0]], "b": [[0, 0]]}},
            "line 3: step differs from the recorded one",
        ),
        (3, {"actions": {"c": [[0, 0]]}}, "line 3: not a line of a replay"),
        (3, {"actions": None}, "line 3: not a line of a replay"),
        (3, {"actions": []}, "line 3: not a line of a replay"),
        (3, {"actions": {"a": [], "b": []}}, "line 3: not a line of a replay"),
        (3, {"actions": {"a": [[0]], "b": [[0]]}}, "line 3: not a line of a replay"),
    ],
)
def test_a_file_that_says_something_else_is_refused(recorded, number, fields, message):
    env, path, _ = recorded
    change(path, number, **fields)
    with pytest.raises(ReplayError, match=message):
        list(replay(env, path))


@pytest.mark.parametrize(
    "text", [b"", b"no json", b"[1]", b"{}", b"\xff\xfe{", b"[" * 100_000 + b"\n"]
)
def test_any_other_file_is_refused(make_env, tmp_path, text):
    path = tmp_path / "run.jsonl"
    path.write_bytes(text)
    with pytest.raises(ReplayError, match=r"run\.jsonl"):
        list(replay(make_env(), path))


def test_a_file_that_breaks_off_is_a_replay_up_to_there(make_env, tmp_path, push):
    env, path = make_env(), tmp_path / "run.jsonl"
    recorder = Recorder(env, path)
    recorder.reset(1)
    recorder.step(push)
    assert len(list(replay(env, path))) == 1  # though the recorder was not closed
    recorder.close()


def test_a_line_that_a_full_disk_cut_is_left_out(recorded):
    """But a line that is damaged, with others behind it, is an error."""
    env, path, results = recorded
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    with pytest.warns(UserWarning, match=rf"run\.jsonl, line {data.count(bytes([10]))} breaks off"):
        assert [digest(tuple(result)) for result in replay(env, path)] == results[:-1]
    lines = data.splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], lines[4][:-20], *lines[5:]]))
    with pytest.raises(ReplayError, match="line 5: not JSON"):
        list(replay(env, path))


def test_a_replay_begins_with_a_reset(recorded):
    """One that lost it is damaged, whatever else it holds."""
    env, path, _ = recorded
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(ReplayError, match=r"run\.jsonl, line 2: "):
        list(replay(env, path))


def test_a_pipe_is_no_replay(make_env, tmp_path):
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ReplayError, match="not a regular file"):
        next(replay(make_env(), tmp_path / "pipe.jsonl"))


def test_a_refused_action_leaves_no_line(make_env, tmp_path, push):
    env, path = make_env(), tmp_path / "run.jsonl"
    with Recorder(env, path) as recorder:
        recorder.reset(1)
        with pytest.raises(ValueError, match="has no action"):
            recorder.step({"a": push["a"]})
        recorder.step(push)
    assert len(list(replay(env, path))) == 1
