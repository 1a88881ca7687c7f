# SPDX-License-Identifier: Apache-2.0
"""Publishers, subscribers and answering processes, and the list of them by topic.

Each declares a liveliness token of zenoh beside itself, whose key holds the kind, the session and
the topic. The master removes the token when the session ends, even if its process was killed.

zenoh's admin space lists participants too, but stays disabled: its router takes a read lock of its
tables twice to answer, and hangs for ever if a session closes in between (seen with zenoh 1.10).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from zenoh import SampleKind
from zenoh.handlers import Callback

from .deadlines import DEADLINE, SessionOwner, replies, within

TOKENS = "participants"
"""Start of the keys of all tokens: ``participants/KIND/SESSION/TOPIC``."""

Kind = Literal["publisher", "subscriber", "queryable"]
_KINDS: tuple[Kind, ...] = ("publisher", "subscriber", "queryable")


class Topic(NamedTuple):
    """The identifiers of the sessions that take part in a topic, in alphabetical order.

    >>> Topic(publishers=("physics",), subscribers=("viewer", "wall")).answering
    ()
    """

    publishers: tuple[str, ...] = ()
    subscribers: tuple[str, ...] = ()
    answering: tuple[str, ...] = ()
    """The sessions that answer requests or commands on the topic."""


class Participant:
    """A publisher, subscriber or queryable of zenoh, together with the token that lists it.

    Args:
        owner: The owner of the session with the master, which lives as long as this.
        kind: The kind of participant.
        key: The full name of the topic.
        hear: Takes each sample or query, and returns at once, because zenoh's own thread calls it.
            A thread that zenoh makes for slower functions may still run when the process ends, and
            abort it.
        options: Further arguments of the zenoh method that declares it.

    Attributes:
        declared: The object of zenoh.

    Raises:
        NoAnswerError: zenoh has not declared it in time.
    """

    def __init__(
        self,
        owner: SessionOwner,
        kind: Kind,
        key: str,
        hear: Callable[[Any], object] | None = None,
        **options: Any,
    ) -> None:
        self._name, self._owner = f"the {kind} of {key}", owner
        session = owner.session
        declare = getattr(session, f"declare_{kind}")
        if hear is not None:
            options["handler"] = Callback(hear, indirect=False)
        token = f"{TOKENS}/{kind}/{session.info.zid()}/{key}"
        self._parts = within(
            DEADLINE,
            f"declare {self._name}",
            lambda: (
                declare(key, **options),
                session.liveliness().declare_token(token),
            ),
        )
        self.declared: Any = self._parts[0]

    def undeclare(self) -> None:
        """Ends it.

        Raises:
            NoAnswerError: zenoh has not ended it in time.
        """
        within(
            DEADLINE,
            f"undeclare {self._name}",
            lambda: [part.undeclare() for part in reversed(self._parts)],
        )


def topics_of(session: Any, pattern: str, timeout: float) -> dict[str, Topic]:
    """Returns the topics that match a pattern, by name.

    Args:
        session: A zenoh session with the master.
        pattern: A key expression of zenoh, such as ``gazebo/lab/**``.
        timeout: Longest time to wait for the master's answer [s].

    Raises:
        NoAnswerError: The master does not answer in time.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for reply in replies(session.liveliness().get, f"{TOKENS}/*/*/{pattern}", timeout):
        if reply.ok is None:
            continue
        _, kind, zid, name = str(reply.ok.key_expr).split("/", 3)
        found.setdefault(name, {}).setdefault(kind, set()).add(zid)
    return {
        name: Topic(*(tuple(sorted(sessions.get(kind, ()))) for kind in _KINDS))
        for name, sessions in sorted(found.items())
    }


def watched_subscribers(session: Any, key: str, come: Callable[[], object]) -> Any:
    """Calls a function whenever a subscriber of a topic comes; returns zenoh's subscriber.

    Args:
        session: A zenoh session with the master.
        key: The full name of the topic.
        come: Called at once by zenoh's own thread, and for each subscriber that is there already.

    Raises:
        NoAnswerError: zenoh has not declared it in time.
    """

    def hear(sample: Any) -> None:
        if sample.kind == SampleKind.PUT:
            come()

    return within(
        DEADLINE,
        f"watch the subscribers of {key}",
        lambda: session.liveliness().declare_subscriber(
            f"{TOKENS}/subscriber/*/{key}", Callback(hear, indirect=False), history=True
        ),
    )
