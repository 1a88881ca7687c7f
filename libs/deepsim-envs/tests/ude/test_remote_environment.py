# SPDX-License-Identifier: Apache-2.0
"""A remote environment is the local one, for one client or several."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from deepsim_envs import digest
from deepsim_envs.ude import (
    CallTimeoutError,
    ConnectionLostError,
    RefusedError,
    RemoteEnvironment,
    RemoteEnvironmentError,
    ServerError,
    StepMode,
    UDEEnvironment,
)
from deepsim_envs.ude.codec import Limits, encode
from deepsim_envs.ude.messages import SideChannelMessage, from_bytes

NAMED = [("deepsim-ude-version", "1")]


def named(name, request=None):
    """Metadata of a client of this name."""
    numbered = [] if request is None else [("deepsim-request", str(request))]
    return [*NAMED, ("deepsim-client", name), *numbered]


@pytest.fixture
def begun(start, connect):
    """Starts a server; returns it and two clients, the first of which has begun an episode."""

    def begin(*environment, **options):
        server = start(*environment, **options)
        one, two = connect(server), connect(server)
        one.reset(seed=1)
        return server, one, two

    return begin


def test_results_are_those_of_the_local_environment(make_count, start, connect):
    local, remote = make_count(), connect(start())
    assert digest([local.reset(7)]) == digest([remote.reset(seed=7)])
    for number in range(20):
        actions = {"a": [number], "b": np.array([0.5])}
        assert digest(tuple(local.step(actions))) == digest(tuple(remote.step(actions)))
    assert remote.action_space == local.action_space
    assert remote.observation_space == local.observation_space


def test_a_step_waits_for_all_clients_who_all_get_its_result(begun, together):
    _, one, two = begun()
    first, second = together(lambda: one.step({"a": [1]}), lambda: two.step({"b": [2]}))
    assert first.reward == {"a": 1.0, "b": 2.0}
    assert digest(tuple(first)) == digest(tuple(second))


def test_an_agent_belongs_to_who_acts_for_it_first(begun, together):
    _, one, two = begun()
    together(lambda: one.step({"a": [1]}), lambda: two.step({"b": [1]}))
    with pytest.raises(RefusedError, match="'a' is acted for by another") as caught:
        two.step({"a": [5], "b": [5]})
    assert caught.value.status == 403
    first, _ = together(lambda: one.step({"a": [1]}), lambda: two.step({"b": [1]}))
    assert first.observation["a"][1] == first.observation["b"][1] == 2.0  # nothing of 5 was done


def test_agents_of_a_client_that_left_are_free(begun, together):
    _, one, two = begun()
    one.step({"a": [1], "b": [1]})
    with pytest.raises(RefusedError):
        two.step({"a": [1], "b": [1]})
    one.close()
    assert two.step({"a": [1], "b": [1]}).observation["a"][1] == 2.0


def test_agents_of_a_silent_client_are_free(start, raw):
    """A client without a stream is known by its calls only; with no lease, for no longer."""
    client = raw(start(lease=0.0))
    client.call("reset")
    assert client.step(named("one"), a=1, b=1).status == 200
    assert client.step(named("two"), a=1, b=1).status == 200
    stream = client.stream(named("two"))  # is there, however silent
    assert client.step(named("one"), a=1, b=1).status == 403
    stream.cancel()


def test_a_reset_joins_an_episode_that_has_just_begun(start, connect, together):
    server = start()
    one, two = connect(server), connect(server)
    assert digest([one.reset(seed=3)]) == digest([two.reset()])
    assert digest([one.reset()]) != digest([two.reset(seed=3)])  # who resets twice means it


def test_a_client_that_joins_loses_no_action_of_others(begun, together):
    _, one, two = begun()

    def join():
        two.reset()
        return two.step({"b": [1]})

    first, second = together(lambda: one.step({"a": [1]}), join)
    assert first.observation["a"][1] == second.observation["b"][1] == 1.0


def test_nobody_else_resets_an_episode_under_way(begun):
    _, one, two = begun()
    one.step({"a": [1], "b": [1]})
    with pytest.raises(RefusedError, match="act for all agents"):
        two.reset()
    assert one.step({"a": [1], "b": [1]}).observation["a"][1] == 2.0


def test_a_reset_tells_those_who_wait(start, raw, connect):
    """Their actions were for an episode that is over."""
    server = start()
    client = raw(server)
    client.call("reset", metadata=named("one", 1))
    waiting = client.begin("step", encode({"a": [1.0]}), named("one", 2))
    while server.missing_agents != ["b"]:  # until it has come
        client.call("observation_space", metadata=named("two"))
    client.call("reset", metadata=named("one", 3))
    answer = from_bytes(waiting.result(), Limits())
    assert answer.status == 409
    assert "act again" in answer.text


@pytest.mark.parametrize("fails", [False, True])
def test_a_step_that_comes_during_a_reset_is_for_the_former_episode(
    begun, together, fails, monkeypatch
):
    server, one, two = begun()
    area = server.environment.environment.area
    begun, goes_on = threading.Event(), threading.Event()

    def wait():
        begun.set()
        assert goes_on.wait(20.0)
        if fails:
            raise RuntimeError("halfway")
        return {}

    def step():
        assert begun.wait(20.0)
        return two.step({"b": [1]})

    def contains(action):  # the step has come
        goes_on.set()
        return True

    area.on_info = wait
    monkeypatch.setattr(server.environment.action_space["b"], "contains", contains)
    _, error = together(one.reset, step)
    assert isinstance(error, RefusedError)
    assert (error.status, "act again" in str(error)) == (409, True)
    assert server.environment.environment.steps == 0


def test_a_reset_that_failed_is_nobodys_episode(start, connect):
    server = start()
    one, two = connect(server), connect(server)
    area = server.environment.environment.area

    def fail():
        raise RuntimeError("once")

    area.on_info = fail
    with pytest.raises(RemoteEnvironmentError):
        one.reset(seed=3)
    area.on_info = dict
    assert two.reset()
    assert two.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0


def test_periodic_steps_repeat_the_last_action(begun, together):
    _, one, two = begun(step_mode=StepMode.PERIODIC, period=0.05)
    together(lambda: one.step({"a": [1]}), lambda: two.step({"b": [2]}))  # each waited for
    result = one.step({"a": [3]})
    assert result.last_action == {"a": 3.0, "b": 2.0}


@pytest.mark.parametrize("reset_mode", ["manual", "auto"])
def test_periodic_steps_repeat_nothing_of_a_former_episode(make_count, begun, together, reset_mode):
    environment = UDEEnvironment(make_count(), reset_mode=reset_mode)
    _, one, two = begun(environment, step_mode=StepMode.PERIODIC, period=0.05, step_timeout=3.0)
    together(lambda: one.step({"a": [200]}), lambda: two.step({"b": [200]}))
    if reset_mode == "manual":
        one.reset()
    with pytest.raises(ServerError, match="no actions of b"):
        one.step({"a": [3]})


def test_other_steps_wait_for_every_agent(begun, together):
    """Also for those that acted before."""
    _, one, two = begun(step_mode=StepMode.WAIT_FOREVER, step_timeout=1.0)
    together(lambda: one.step({"a": [1]}), lambda: two.step({"b": [2]}))
    with pytest.raises(ServerError, match="no actions of b"):
        one.step({"a": [3]})


def test_who_gives_no_action_waits_for_the_step_of_the_others(begun, together):
    _, one, two = begun()
    waited = threading.Event()

    def wait():
        try:
            return digest(tuple(one.step({})))
        finally:
            waited.set()

    def act():
        results = set()
        while not waited.is_set():
            results.add(digest(tuple(two.step({"a": [0], "b": [0]}))))
        return results

    result, results = together(wait, act)
    assert result in results


def test_an_episode_ends_and_asks_for_a_reset(start, connect):
    remote = connect(start())
    remote.reset(seed=1)
    assert remote.step({"a": [200], "b": [200]}).done == {"a": True, "b": True}
    with pytest.raises(RemoteEnvironmentError, match="all agents are done"):
        remote.step({"a": [1], "b": [1]})
    remote.reset()
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0


def test_automatic_resets_keep_the_end_of_an_episode(make_count, start, connect):
    remote = connect(start(UDEEnvironment(make_count(), reset_mode="auto")))
    remote.reset(seed=1)
    result = remote.step({"a": [200], "b": [1]})
    assert result.done == {"a": True, "b": False}
    assert result.observation["a"][1] == 0.0
    assert result.info["deepsim"]["final_observation"]["a"][1] == 1.0
    assert remote.step({"a": [1], "b": [1]}).observation["b"][1] == 1.0


class Clock:
    """The wall clock, which counts how often it is looked at."""

    looks = 0

    def monotonic(self):
        self.looks += 1
        return time.monotonic()


def test_the_server_says_whose_actions_are_missing(start, connect, monkeypatch):
    """Meanwhile it sleeps, and looks after the caller now and then."""
    clock = Clock()
    monkeypatch.setattr("deepsim_envs.ude.steps.time", clock)
    remote = connect(start(step_timeout=2.0))
    remote.reset(seed=1)
    with pytest.raises(ServerError, match="no actions of b") as caught:
        remote.step({"a": [1]})
    assert caught.value.status == 504
    assert clock.looks < 50
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0


def test_a_step_may_be_overtaken_by_the_side_channel(start, raw):
    """An observer may send while the trainer's step is on its way; a step after a reset may not."""
    client = raw(start())
    client.call("reset", metadata=named("me", 1))
    message = SideChannelMessage("level", 3)
    assert client.call("side_channel_send", message, named("me", 3)).status == 200
    assert client.step(named("me", 2), a=1, b=1).status == 200
    assert client.call("reset", metadata=named("me", 5)).status == 200
    assert client.step(named("me", 4), a=1, b=1).status == 409


def test_errors_name_the_address_the_call_and_the_time(start, connect):
    server = start()
    remote = connect(server, timeout=2.0)
    remote.reset(seed=1)
    with pytest.raises(CallTimeoutError, match=f"step at 127.0.0.1:{server.port}.* 2 s"):
        remote.step({"a": [1]})
    server.stop()
    with pytest.raises(ConnectionLostError, match=f"no server at 127.0.0.1:{server.port}"):
        RemoteEnvironment(port=server.port, timeout=0.2)
    remote.close()
    with pytest.raises(ConnectionLostError, match="closed here"):
        remote.reset()


def test_a_stopped_server_tells_those_who_wait(start, connect, raw, together):
    server = start()
    remote, other = connect(server), raw(server)
    remote.reset(seed=1)

    def stop():
        while server.missing_agents != ["b"]:  # until the step waits
            other.call("observation_space")
        server.stop()

    error, _ = together(lambda: remote.step({"a": [1]}), stop)
    assert isinstance(error, (ServerError, ConnectionLostError))


def test_a_retry_is_answered_without_another_step(start, raw):
    client = raw(start())
    client.call("reset")
    first = client.step(named("me", 1), a=1, b=1)
    again = client.step(named("me", 1), a=1, b=1)
    assert first == again
    assert client.step(named("me", 0), a=1, b=1).status == 409
    environment_step = client.step(named("me", 2), a=1, b=1)
    assert environment_step.status == 200
    assert environment_step != first
