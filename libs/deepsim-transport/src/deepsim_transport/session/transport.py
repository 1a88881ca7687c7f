# SPDX-License-Identifier: Apache-2.0
"""The session of a process with the master: topics, requests and answers."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import zenoh

from deepsim_transport.errors import MessageError, NoAnswerError, RemoteError, TransportError
from deepsim_transport.messages import Answer
from deepsim_transport.messages.protobuf import decode, encode, encoding_of

from .access import Credentials, refusal
from .deadlines import SessionOwner, replies
from .master import endpoint, get_master_uri, settings
from .participants import Kind, Participant, Topic, topics_of, watched_subscribers

M = TypeVar("M")

TIMEOUT = 10.0
"""Default for the longest time to wait for an answer [s]."""
PATIENCE = 2.5
"""Longest time to wait until a process that answers on a topic becomes known [s]."""
BACKLOG = 256
"""The number of messages that may wait for a subscriber; beyond it, the oldest are dropped."""


class Transport(SessionOwner):
    """A session with the master.

    The names of topics begin with ``/gazebo/NAMESPACE/``, as in Gazebo 1.0.

    Args:
        host: Host of the master; by default from `get_master_uri`.
        port: Port of the master; by default from `get_master_uri`.
        namespace: The name of the world.
        credentials: Credentials for a master with an `Access`; by default from
            `Credentials.of_environment`.

    Raises:
        NoAnswerError: No master answers at this address.
        AccessError: The master requires or refuses credentials; the message names the cause.

    >>> from deepsim_transport.messages import WorldStatistics
    >>> with Transport(namespace="lab") as transport:  # needs a master
    ...     subscriber = transport.subscribe("world_stats", WorldStatistics, print)
    ...     publisher = transport.advertise("world_stats", WorldStatistics)
    ...     transport.key("world_stats")
    'gazebo/lab/world_stats'
    """

    def __init__(
        self,
        host: str = "",
        port: int = 0,
        *,
        namespace: str = "default",
        credentials: Credentials | None = None,
    ) -> None:
        own_host, own_port = get_master_uri()
        self.host, self.port = host or own_host, port or own_port
        self.set_topic_namespace(namespace)
        self._credentials = given = credentials or Credentials.of_environment()
        address = endpoint(self.host, self.port, tls=given is not None)
        access = None if given is None else given.settings()
        config = settings("client", connect=[address], access=access)
        try:
            self._open(config, f"open a session with {address}")
        except zenoh.ZError:
            raise refusal(self.host, self.port, given) from None

    def set_topic_namespace(self, namespace: str) -> None:
        """Sets the name of the world to which later topics belong.

        Raises:
            TransportError: The name is empty, or has a character that is not allowed in topics.
        """
        if not namespace or set(namespace) & set("/*$#? ") or not namespace.isprintable():
            raise TransportError(f"a namespace has none of / * $ # ? and blanks: {namespace!r}")
        self.namespace = namespace

    def key(self, topic: str) -> str:
        """Returns the full name of a topic, without the leading slash."""
        return f"gazebo/{self.namespace}/{topic}"

    def advertise(self, topic: str, kind: type[M]) -> Publisher[M]:
        """Returns a publisher for messages of one class in `deepsim_transport.messages`."""
        encoding = zenoh.Encoding(encoding_of(kind))
        return Publisher(self.declare("publisher", topic, encoding=encoding), kind)

    def subscribe(
        self, topic: str, kind: type[M], function: Callable[[M], object]
    ) -> Subscriber[M]:
        """Calls a function with each message of a topic, in a separate thread.

        If the function cannot keep up, the oldest messages are dropped; publishers and
        other subscribers are not delayed.
        """
        return Subscriber(self, topic, kind, function)

    def declare(
        self,
        kind: Kind,
        topic: str,
        hear: Callable[[Any], object] | None = None,
        **options: Any,
    ) -> Participant:
        """Declares a participant that sends or receives bytes, and lists it in `topics`.

        Args:
            kind: ``"publisher"``, ``"subscriber"`` or ``"queryable"``, which answers requests.
            topic: The topic without the namespace.
            hear: Takes each sample or query, and returns at once; see `Participant`.
            options: Further arguments of zenoh's method.
        """
        return Participant(self, kind, self.key(topic), hear, **options)

    def watch_subscribers(self, topic: str, come: Callable[[], object]) -> Any:
        """Calls a function, from a thread of zenoh, whenever a subscriber of a topic comes.

        Returns:
            An object with a method ``undeclare``, which ends it.
        """
        return watched_subscribers(self.session, self.key(topic), come)

    def topics(self) -> dict[str, Topic]:
        """Returns the participants of each topic, by the topic's name without the namespace.

        All topics of this library's processes are listed, even those without a publisher.

        Raises:
            NoAnswerError: The master does not answer in time.
        """
        found = topics_of(self.session, self.key("**"), TIMEOUT)
        return {name[len(self.key("")) :]: topic for name, topic in found.items()}

    def worlds(self) -> tuple[str, ...]:
        """Returns the namespaces of all physics processes of the master, in alphabetical order.

        Raises:
            NoAnswerError: The master does not answer in time.
        """
        found = topics_of(self.session, "gazebo/*/control", TIMEOUT)
        return tuple(name.split("/")[1] for name, topic in found.items() if topic.answering)

    def command(self, topic: str, message: Any, timeout: float = TIMEOUT) -> None:
        """Sends a command, and waits until it has been executed.

        Args:
            topic: The topic without the namespace.
            message: The command.
            timeout: Longest time to wait for the answer [s].

        Raises:
            NoAnswerError: No process answers in time.
            RemoteError: The command was refused; the message says why.
        """
        answer = decode(Answer, self.request(topic, encode(message), timeout))
        if not answer.ok:
            raise RemoteError(answer.reason)

    def request(self, topic: str, payload: bytes, timeout: float = TIMEOUT) -> bytes:
        """Sends a request to the process that answers on a topic, and returns its answer.

        Args:
            topic: The topic without the namespace.
            payload: The bytes of the request.
            timeout: Longest time to wait for the answer [s].

        Raises:
            NoAnswerError: No process answers in time.
            MessageError: The other process could not read the request.
        """
        key, begin = self.key(topic), time.monotonic()
        while True:
            for reply in replies(self.session.get, key, timeout, payload=payload):
                if reply.ok is not None:
                    return bytes(reply.ok.payload.to_bytes())
                text = reply.err.payload.to_bytes().decode("utf-8", "replace")
                if text == "Timeout":
                    raise NoAnswerError(f"{key} has not answered within {timeout:g} s")
                raise MessageError(f"{key}: {text}")
            if time.monotonic() - begin > min(PATIENCE, timeout):
                user = "" if self._credentials is None else self._credentials.user
                denied = f", or {user!r} may not ask there" if user else ""
                raise NoAnswerError(f"nobody answers at {key} of {self.host}:{self.port}{denied}")
            time.sleep(0.02)  # a process that just started may not be known to the master yet

    def close(self) -> None:
        """Ends the session and all its publishers and subscribers.

        Raises:
            NoAnswerError: zenoh has not ended it in time.
        """
        self._close(f"close the session with {self.host}:{self.port}")

    def __enter__(self) -> Transport:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Publisher(Generic[M]):
    """Sends messages of one class on a topic; made by `Transport.advertise`.

    >>> from deepsim_transport.messages import Time
    >>> with Transport(namespace="lab") as transport:  # needs a master
    ...     transport.advertise("clock", Time).publish(Time.of(1.5))
    """

    def __init__(self, participant: Participant, kind: type[M]) -> None:
        self._participant, self.kind = participant, kind
        self._publisher = participant.declared

    @property
    def has_subscribers(self) -> bool:
        """Whether the topic has a subscriber."""
        return bool(self._publisher.matching_status.matching)

    def publish(self, message: M) -> None:
        """Sends a message.

        Raises:
            TypeError: The message is of a different class.
        """
        if type(message) is not self.kind:
            raise TypeError(f"this topic has {self.kind.__name__}, got {type(message).__name__}")
        self._publisher.put(encode(message))


class Subscriber(Generic[M]):
    """Receives messages of one class on a topic; made by `Transport.subscribe`.

    Attributes:
        malformed: The number of dropped messages that were not of this class.
        missed: The number of messages that were dropped because the function was too slow.

    >>> from queue import Queue
    >>> from deepsim_transport.messages import Time
    >>> received = Queue()
    >>> with Transport(namespace="lab") as transport:  # needs a master
    ...     subscriber = transport.subscribe("clock", Time, received.put)
    ...     transport.advertise("clock", Time).publish(Time.of(1.5))
    ...     received.get(timeout=60.0)
    Time(seconds=1, nanoseconds=500000000)
    """

    def __init__(
        self, transport: Transport, topic: str, kind: type[M], function: Callable[[M], object]
    ) -> None:
        self.malformed = self.missed = 0
        self._kind, self._function = kind, function
        self._waiting: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._open = True
        name = f"subscriber of {transport.key(topic)}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._subscriber = transport.declare("subscriber", topic, self._hear)

    def close(self) -> None:
        """Stops receiving.

        Waits until the subscribed function has returned, unless that function calls this.
        """
        self._subscriber.undeclare()
        with self._changed:
            self._open = False
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _hear(self, sample: Any) -> None:
        # This is zenoh's thread: a slow function here would delay the other topics.
        with self._changed:
            if len(self._waiting) == BACKLOG:
                self._waiting.popleft()
                self.missed += 1
            self._waiting.append(sample.payload.to_bytes())
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._open and not self._waiting:
                    self._changed.wait()
                if not self._open:
                    return
                payload = self._waiting.popleft()
            try:
                message = decode(self._kind, payload)
            except MessageError:
                self.malformed += 1
                continue
            try:
                self._function(message)
            except Exception:  # from the user's function; reported as from any thread
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), self._thread)))
