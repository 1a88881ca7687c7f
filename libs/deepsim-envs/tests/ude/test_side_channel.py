# SPDX-License-Identifier: Apache-2.0
"""Side channels, in process and remote."""

from __future__ import annotations

import pytest

from deepsim_envs.ude import (
    PayloadError,
    RefusedError,
    ServerError,
    SideChannel,
    UDEEnvironment,
)
from deepsim_envs.ude.messages import SideChannelMessage

VALUES = [True, False, 0, -5, 1.5, [], [1.0, 2.0], "x", "", b"y"]
LONGEST = "k" * 256


@pytest.fixture
def pair():
    one, two = SideChannel(), SideChannel()
    one.join(two)
    return one, two


@pytest.mark.parametrize("value", VALUES)
def test_a_value_reaches_the_other_end(pair, listen, value):
    one, two = pair
    listener = listen(two)
    one.send(LONGEST, value)
    assert listener.next() == (LONGEST, value)
    assert two.get(LONGEST) == value
    assert one.get(LONGEST, "none") == "none"
    one.send(LONGEST, value, store_local=True)
    assert one.get(LONGEST) == value


def test_observers_hear_of_their_keys(pair, listen):
    one, two = pair
    everything, some = listen(two), listen(two, "some")
    one.send("some", 1)
    one.send("other", 2)
    assert [everything.next(), everything.next()] == [("some", 1), ("other", 2)]
    assert some.next() == ("some", 1)
    two.unregister(everything)
    two.unregister(some, "some")
    one.send("some", 3)
    assert everything.heard.empty()
    assert some.heard.empty()


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("k", None, TypeError),
        ("k", (1.0,), TypeError),
        ("k", [1], TypeError),
        ("k", 2**31, ValueError),
        (LONGEST + "k", 1, ValueError),
        (1, 1, ValueError),
        ("k", "x" * (2**16 + 1), ValueError),
        ("k", b"x" * (2**16 + 1), ValueError),
        ("k", [0.0] * (2**13 + 1), ValueError),
        ("k", "\ud800", ValueError),
    ],
)
def test_what_it_does_not_carry_is_refused(pair, key, value, kind):
    with pytest.raises(kind):
        pair[0].send(key, value)


def test_a_list_that_is_too_long_is_refused_by_the_server(start, raw):
    message = SideChannelMessage("k", [0.0] * (2**13 + 1))
    assert raw(start()).call("side_channel_send", message).status == 400


def test_the_keys_that_it_keeps_are_bounded(pair):
    for number in range(1024):
        pair[0].send(str(number), number)
    with pytest.raises(ValueError, match="1024 keys"):
        pair[0].send("one more", 1)
    pair[0].send("1", 5)


def test_an_environment_joins_the_channel_of_its_area(make_count, listen):
    environment = make_count()
    view = UDEEnvironment(environment)
    task, trainer = listen(environment.area.side_channel), listen(view.side_channel)
    view.side_channel.send("level", 3)
    environment.area.side_channel.send("lap", 1.5)
    assert task.next() == ("level", 3)
    assert trainer.next() == ("lap", 1.5)


def test_values_go_both_ways_over_the_wire(start, connect, listen):
    server = start()
    remote = connect(server)
    area = server.environment.environment.area
    task, trainer = listen(area.side_channel), listen(remote.side_channel)
    for value in VALUES:
        remote.side_channel.send("up", value, store_local=True)
        assert task.next() == ("up", value)
        assert trainer.next() == ("up", value)  # stored by all clients, as by UDE's
        area.side_channel.send("down", value)
        assert trainer.next() == ("down", value)
        assert remote.side_channel.get("down") == value


def test_all_clients_hear_of_the_task(start, connect, listen):
    server = start()
    listeners = []
    for _ in range(3):
        remote = connect(server)
        listeners.append(listener := listen(remote.side_channel))
        remote.side_channel.send("ready", True, store_local=True)
        assert listener.next() == ("ready", True)
    server.environment.environment.area.side_channel.send("go", 1)
    for listener in listeners:
        while listener.next() != ("go", 1):
            pass


def test_a_client_cannot_fill_the_server(start, connect):
    server = start()
    remote = connect(server)
    for number in range(1024):
        server.environment.environment.area.side_channel.store(str(number), number)
    with pytest.raises(RefusedError, match="1024 keys"):
        remote.side_channel.send("one more", 1)
    assert remote.reset()


@pytest.mark.parametrize("kind", [ValueError, TypeError, PayloadError])
def test_what_an_observer_of_the_task_raises_stays_with_the_server(start, connect, caplog, kind):
    server = start()
    remote = connect(server)

    class Observer:
        def on_received(self, side_channel, key, value):
            raise kind("/home/me/secret")

    server.environment.environment.area.side_channel.register(Observer())
    with pytest.raises(ServerError, match="see the server's log") as caught:
        remote.side_channel.send("level", 3)
    assert caught.value.status == 500
    assert "secret" not in str(caught.value)
    assert "/home/me/secret" in caplog.text
    assert remote.reset()


def test_what_does_not_reach_the_other_end_is_not_kept_here(pair):
    one, two = pair
    for number in range(1024):
        two.store(str(number), number)
    with pytest.raises(ValueError, match="1024 keys"):
        one.send("one more", 1, store_local=True)
    assert one.get("one more") is None
