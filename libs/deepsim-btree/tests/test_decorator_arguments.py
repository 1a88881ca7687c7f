# SPDX-License-Identifier: Apache-2.0
"""Counts, times and statuses given to decorators are checked when the node is made."""

from __future__ import annotations

import pytest

import deepsim_btree as bt

TIMERS = [bt.Timeout, bt.Delay, bt.Cooldown]


@pytest.mark.parametrize(
    ("cls", "arguments", "error", "message"),
    [
        (bt.Limit, {"tick_limit": -1}, ValueError, "tick_limit must be at least 0, got -1"),
        (bt.Limit, {"tick_limit": 1.5}, TypeError, "tick_limit must be an int, got 1.5"),
        (bt.Limit, {"tick_limit": True}, TypeError, "tick_limit must be an int, got True"),
        (bt.Repeater, {"repeat": -2}, ValueError, "repeat must be at least -1, got -2"),
        (bt.Repeater, {"repeat": "3"}, TypeError, "repeat must be an int, got '3'"),
        (
            bt.Repeater,
            {"repeat": 1, "on_failure": "stop"},
            ValueError,
            "on_failure must be 'continue' or 'abort', got 'stop'",
        ),
        (bt.Retry, {"attempts": 0}, ValueError, "attempts must be at least 1, or -1 for no end"),
        (bt.Retry, {"attempts": -2}, ValueError, "attempts must be at least -1, got -2"),
        (bt.UntilFail, {"on_end": "S"}, TypeError, "on_end must be a Status, got 'S'"),
        (bt.Condition, {"success_status": 2}, TypeError, "success_status must be a Status, got 2"),
        (bt.Condition, {"otherwise": None}, TypeError, "otherwise must be a Status, got None"),
    ],
)
def test_bad_arguments(cls, arguments, error, message):
    """The message has the argument, what it must be and what it was."""
    with pytest.raises(error, match=message):
        cls(bt.Success(), **arguments)


@pytest.mark.parametrize("cls", TIMERS)
@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_bad_times(cls, seconds):
    """Spans of time are finite and not negative."""
    with pytest.raises(ValueError, match="seconds must be a finite number >= 0, got"):
        cls(bt.Success(), seconds=seconds)


@pytest.mark.parametrize("cls", TIMERS)
@pytest.mark.parametrize("seconds", [None, "soon"])
def test_times_are_numbers(cls, seconds):
    """Anything that float() takes will do, and nothing else."""
    with pytest.raises(TypeError, match="seconds must be a number, got"):
        cls(bt.Success(), seconds=seconds)


@pytest.mark.parametrize("argument", ["success", "failure"])
def test_thresholds_of_parallel(argument):
    """0 means nothing: neither all nor one."""
    with pytest.raises(ValueError, match=rf"{argument} must be 1, 2 .* or -1 \(all\).*got 0"):
        bt.Parallel([], **{argument: 0})
    with pytest.raises(TypeError, match=f"{argument} must be an int, got 'all'"):
        bt.Parallel([], **{argument: "all"})


@pytest.mark.parametrize("seconds", ["1", b"1", True, None])
def test_seconds_are_numbers(seconds):
    """Texts and truth values are none."""
    with pytest.raises(TypeError, match="seconds must be a number"):
        bt.Wait(seconds=seconds)
