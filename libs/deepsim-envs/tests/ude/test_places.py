# SPDX-License-Identifier: Apache-2.0
"""Nobody is locked out: places are per connection, and the oldest of the greediest give way."""

from __future__ import annotations

import threading

import pytest

from deepsim_envs.ude import RemoteEnvironment, ServerStartError, UDEServer
from deepsim_envs.ude.codec import Limits, encode
from deepsim_envs.ude.messages import from_bytes


def named(name):
    return [("deepsim-ude-version", "1"), ("deepsim-client", name)]


def test_unread_streams_of_one_peer_give_way(start, connect, raw):
    """Even those to which the server is sending, and cannot, as nobody reads."""
    server = start(max_clients=8)
    remote = connect(server)
    greedy = [raw(server) for _ in range(4)]
    streams = [client.stream(named(f"{number}")) for client in greedy for number in range(10)]
    for number in range(100):
        server.environment.environment.area.side_channel.send("k", f"{number}" * 30_000)
    later = connect(server)
    later.reset(seed=1)
    assert later.step({"a": [1], "b": [1]}).reward == {"a": 1.0, "b": 1.0}
    assert remote.observation_space
    later.close()
    for stream in streams:
        stream.cancel()


def test_calls_that_wait_give_way(start, connect, raw):
    server = start(max_clients=4)
    greedy = raw(server)
    greedy.call("reset", metadata=named("greedy"))
    calls = [greedy.begin("step", encode({}), named(f"{number}")) for number in range(12)]
    over = threading.Semaphore(0)
    for call in calls:
        call.add_done_callback(lambda _: over.release())
    for _ in range(8):
        assert over.acquire(timeout=20.0)
    told = [from_bytes(call.result(), Limits()).status for call in calls if call.done()]
    assert told == [429] * 8
    remote = connect(server)
    assert remote.step({"a": [1], "b": [1]}).reward == {"a": 1.0, "b": 1.0}


def test_a_stray_message_without_a_name_holds_no_agent(start, connect, raw):
    """As with UDE's own server, the last one that acts for an agent counts."""
    server = start()
    stray = raw(server)
    stray.call("reset")
    waiting = stray.begin("step", encode({"a": [5.0]}))
    while server.missing_agents != ["b"]:
        stray.call("observation_space")
    remote = connect(server)
    assert remote.step({"a": [1], "b": [1]}).last_action == {"a": 1.0, "b": 1.0}
    assert from_bytes(waiting.result(), Limits()).status == 200
    assert stray.step(a=5, b=5).status == 403  # now they are somebody's
    assert stray.call("reset").status == 403


def test_clients_of_ude_take_agents_from_each_other(start, raw):
    server = start()
    one, two = raw(server), raw(server)
    one.call("reset")
    assert one.step(a=1, b=1).status == 200
    assert two.step(a=1, b=1).status == 200
    assert one.step(a=1, b=1).status == 200


def test_a_socket_of_the_file_system(make_count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # whose path may be longer than that of a socket
    address = "unix:ude.sock"
    with UDEServer(make_count(), host=address) as server, RemoteEnvironment(address) as remote:
        assert server.address == address
        remote.reset(seed=1)
        assert remote.step({"a": [1], "b": [1]}).reward == {"a": 1.0, "b": 1.0}


def test_a_socket_with_a_long_path_is_refused(make_count, tmp_path):
    """The system takes 107 bytes."""
    server = UDEServer(make_count(), host=f"unix:{tmp_path}/{'a' * 108}")
    with pytest.raises(ServerStartError, match="path of a socket has at most 107 bytes"), server:
        pass


def test_stopping_ends_open_streams(start, connect, raw):
    server = start()
    connect(server)
    stream = raw(server).stream()
    server.stop()
    assert [from_bytes(data, Limits()).status for data in stream] == [503]
