# SPDX-License-Identifier: Apache-2.0
"""Masters, sessions, topics."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import zenoh
from transport_worlds import wait

from deepsim_transport import (
    Master,
    MessageError,
    NoAnswerError,
    Transport,
    TransportError,
    get_master_uri,
)
from deepsim_transport.messages import JointState, Point, WorldStatistics
from deepsim_transport.session.deadlines import replies, within

PATIENCE = 10.0  # for what takes milliseconds [s]


class Heard:
    """What a subscriber hears."""

    def __init__(self) -> None:
        self.messages: list[object] = []
        self._changed = threading.Condition()

    def __call__(self, message: object) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()

    def wait(self, count: int) -> list[object]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.messages) >= count, PATIENCE)
            return list(self.messages)


def test_a_message_reaches_the_subscribers_of_its_topic_and_world(master, transport):
    point, joint = Heard(), Heard()
    with Transport(master.host, master.port) as other:
        subscribers = [
            other.subscribe("point", Point, point),
            other.subscribe("joint", JointState, joint),
        ]
        publishers = transport.advertise("point", Point), transport.advertise("joint", JointState)
        for publisher in publishers:
            wait(lambda publisher=publisher: publisher.has_subscribers)
        transport.set_topic_namespace("elsewhere")
        elsewhere = transport.advertise("point", Point)
        elsewhere.publish(Point(9.0, 9.0, 9.0))
        publishers[0].publish(Point(1.0, 2.0, 3.0))
        publishers[1].publish(JointState("hinge", (0.5,), (0.1,), (2.0,)))
        assert point.wait(1) == [Point(1.0, 2.0, 3.0)]
        assert joint.wait(1) == [JointState("hinge", (0.5,), (0.1,), (2.0,))]
        for subscriber in subscribers:
            subscriber.close()
    with pytest.raises(TypeError, match="has Point, got JointState"):
        publishers[0].publish(JointState())


def test_the_master_lists_who_takes_part(master, transport):
    """Publishers, listeners and those who answer, of one namespace."""
    transport.set_topic_namespace("parts")
    with Transport(master.host, master.port, namespace="parts") as other:
        publisher = transport.advertise("point", Point)
        subscribers = [each.subscribe("point", Point, print) for each in (transport, other)]
        answering = other.declare("queryable", "deep/asked", print)
        with Transport(master.host, master.port, namespace="partsong") as third:
            elsewhere = third.advertise("point", Point)
            wait(lambda: list(third.topics()) == ["point"])
            wait(lambda: len(transport.topics()) == 2)
        found = transport.topics()
        assert sorted(found) == ["deep/asked", "point"]
        assert [len(each) for each in found["point"]] == [1, 2, 0]
        assert set(found["point"].publishers) < set(found["point"].subscribers)
        assert [len(each) for each in found["deep/asked"]] == [0, 0, 1]
        for subscriber in subscribers:
            subscriber.close()
        answering.undeclare()
        del publisher, elsewhere  # what nobody holds is not advertised


def test_zenoh_makes_no_thread_that_may_outlive_the_session(transport):
    """One that still runs as the process ends would abort it."""
    before = set(threading.enumerate())
    answering = transport.declare("queryable", "asked", print)
    hearing = transport.declare("subscriber", "heard", print)
    assert set(threading.enumerate()) == before
    hearing.undeclare()
    answering.undeclare()


def test_the_master_takes_no_orders(master, transport):
    """Nothing of it can be read or set: zenoh's space for that is closed.

    Its lists of sessions locked the master for ever, within seconds, when sessions ended meanwhile.
    """
    (name,) = transport.session.info.routers_zid()
    transport.session.put(f"@/{name}/router/config/connect/endpoints", '["tcp/127.0.0.1:1"]')
    assert list(transport.session.get("@/*/router/**", timeout=PATIENCE)) == []


def test_a_wait_without_end_is_named(transport):
    """A call into zenoh that does not return, and a query that zenoh does not end."""
    for_ever = threading.Event()
    with pytest.raises(NoAnswerError, match=r"zenoh did not open a door within 0\.1 s"):
        within(0.1, "open a door", for_ever.wait)
    with pytest.raises(NoAnswerError, match=r"did not end the query of a/key within 2\.1 s"):
        list(replies(lambda key, handler, timeout: None, "a/key", 0.1))
    for_ever.set()


def test_hostile_bytes_are_counted_and_dropped(transport):
    """The messages after them are heard."""
    heard = Heard()
    subscriber = transport.subscribe("stats", WorldStatistics, heard)
    publisher = transport.advertise("stats", WorldStatistics)
    wait(lambda: publisher.has_subscribers)
    for payload in (b"\xff" * 40, b"\x0a\xff", b"cos\nsystem\n(S'true'\ntR."):
        transport.session.put(transport.key("stats"), payload)
    publisher.publish(WorldStatistics(iterations=7))
    assert heard.wait(1) == [WorldStatistics(iterations=7)]
    assert subscriber.malformed == 3


def test_a_slow_function_misses_the_oldest_and_holds_up_nobody(transport):
    """Of 1000 messages it sees the last; another topic is heard meanwhile."""
    free, entered = threading.Event(), threading.Event()
    slow, other = Heard(), Heard()

    def hold(message: object) -> None:
        entered.set()
        free.wait(PATIENCE)
        slow(message)

    subscriber = transport.subscribe("slow", Point, hold)
    transport.subscribe("other", Point, other)
    first, second = transport.advertise("slow", Point), transport.advertise("other", Point)
    wait(lambda: first.has_subscribers and second.has_subscribers)
    first.publish(Point())
    assert entered.wait(PATIENCE)
    for number in range(1, 1001):
        first.publish(Point(float(number)))
    second.publish(Point(5.0))
    assert other.wait(1) == [Point(5.0)]
    wait(lambda: subscriber.missed >= 1000 - 256)
    free.set()
    wait(lambda: bool(slow.messages) and slow.messages[-1] == Point(1000.0))
    assert len(slow.messages) == 257


def test_an_error_of_a_function_is_shown_and_the_next_message_comes(transport, monkeypatch):
    shown: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda said: shown.append(str(said.exc_value)))
    heard = Heard()

    def fail_once(message: Point) -> None:
        if message.x == 0.0:
            raise RuntimeError("my mistake")
        heard(message)

    transport.subscribe("point", Point, fail_once)
    publisher = transport.advertise("point", Point)
    wait(lambda: publisher.has_subscribers)
    publisher.publish(Point())
    publisher.publish(Point(1.0))
    heard.wait(1)
    assert shown == ["my mistake"]


def test_a_message_beyond_the_limit_never_arrives(master, transport):
    """64 MB; a smaller one after it does."""
    sizes: list[int] = []
    key = transport.key("bytes")
    publisher = transport.session.declare_publisher(
        key, congestion_control=zenoh.CongestionControl.BLOCK
    )
    with Transport(master.host, master.port) as other:
        other.session.declare_subscriber(key, lambda sample: sizes.append(len(sample.payload)))
        wait(lambda: publisher.matching_status.matching)
        for size in (30 << 20, 80 << 20, 9):
            publisher.put(bytes(size))
        wait(lambda: sizes[-1:] == [9])
    assert sizes == [30 << 20, 9]


def test_nobody_there_is_said(master, transport):
    with pytest.raises(NoAnswerError, match=r"nobody answers at gazebo/default/none"):
        transport.request("none", b"")
    with pytest.raises(NoAnswerError, match=r"start one by `deepsim master`"):
        Transport("127.0.0.1", 1)


def test_who_answers_with_an_error_is_quoted(transport):
    def refuse(query: object) -> None:
        with query:
            query.reply_err(b"not like this")

    transport.session.declare_queryable(transport.key("wrong"), refuse)
    with pytest.raises(MessageError, match="wrong: not like this"):
        transport.request("wrong", b"")


@pytest.mark.parametrize("name", ["", "a/b", "*", "a b", "x$", "y#", "a\n"])
def test_names_that_topics_cannot_have_are_refused(transport, name):
    with pytest.raises(TransportError, match="namespace"):
        transport.set_topic_namespace(name)
    assert transport.namespace == "default"


def test_a_master_is_for_this_machine_unless_it_is_told(master):
    for host in ("0.0.0.0", "192.168.1.2", "::"):
        with pytest.raises(TransportError, match="give an access"):
            Master(host, 5)
    with pytest.raises(TransportError, match="cannot listen"):
        Master(master.host, master.port)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        (None, ("127.0.0.1", 11345)),
        ("http://localhost:4444", ("127.0.0.1", 4444)),
        ("robot.lan:5555", ("robot.lan", 5555)),
        ("http://[::1]:6666", ("::1", 6666)),
        ("http://10.0.0.2", ("10.0.0.2", 11345)),
    ],
)
def test_the_environment_names_the_master(monkeypatch, uri, expected):
    monkeypatch.delenv("GAZEBO_MASTER_URI", raising=False)
    if uri is not None:
        monkeypatch.setenv("GAZEBO_MASTER_URI", uri)
    assert get_master_uri() == expected


@pytest.mark.parametrize("uri", ["http://", "http://host:port", "http://host:99999"])
def test_an_environment_that_names_none_is_quoted(monkeypatch, uri):
    monkeypatch.setenv("GAZEBO_MASTER_URI", uri)
    with pytest.raises(TransportError, match="GAZEBO_MASTER_URI"):
        get_master_uri()


@pytest.mark.skipif(sys.platform != "linux", reason="shared memory is looked up in /proc")
def test_shared_memory_of_killed_processes_is_freed_by_the_next_master():
    """Among it a pool of 16 MiB."""
    code = (
        "from deepsim_transport import Master, Transport\n"
        "master = Master('127.0.0.1', 0)\n"
        "transport = Transport(master.host, master.port)\n"
        "transport.session.put('gazebo/default/bytes', bytes(5_000_000))\n"
        "print('sent', flush=True); input()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as sender:
        assert sender.stdout.readline() == b"sent\n"
        maps = Path(f"/proc/{sender.pid}/maps").read_text(encoding="utf-8")
        sender.kill()
    files = {Path(found) for found in re.findall(r"/dev/shm/\S+\.zenoh", maps)}
    assert any(file.exists() for file in files)
    opened = "from deepsim_transport import Master; Master('127.0.0.1', 0).close()"
    subprocess.run([sys.executable, "-c", opened], check=True)
    assert not any(file.exists() for file in files)
