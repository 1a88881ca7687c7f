# SPDX-License-Identifier: Apache-2.0
"""Finds topics, and listens to any of them, whatever their messages are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from deepsim_sync import DeepSimError

from .errors import MessageError
from .messages import KINDS, decode, of_json
from .rows import unpack
from .session import Topic, Transport


def known_topic(transport: Transport, name: str) -> Topic:
    """Returns a topic that some process publishes, hears or answers on.

    Raises:
        DeepSimError: There is none of this name; the message lists those that there are.
    """
    topics = transport.topics()
    if name not in topics:
        known = ", ".join(topics) or "none"
        raise DeepSimError(f"no topic is {transport.key(name)!r}; known: {known}")
    return topics[name]


@contextmanager
def listening(transport: Transport, name: str, hear: Callable[[Any], object]) -> Iterator[None]:
    """Calls a function with each sample of a topic, in a thread of zenoh, within the block."""
    subscriber = transport.declare("subscriber", name, hear)
    try:
        yield
    finally:
        subscriber.undeclare()


def sizes_heard(transport: Transport, name: str, seconds: float) -> list[int]:
    """Returns the sizes of all messages that arrive within some seconds [bytes]."""
    found: list[int] = []
    with listening(transport, name, lambda sample: found.append(len(sample.payload))):
        threading.Event().wait(seconds)
    return found


def message_of(name: str, fields: str) -> Any:
    """Returns a message by the name of its class, from JSON of the fields that are not empty.

    Raises:
        DeepSimError: No message has the name.
        MessageError: It has no such fields.
    """
    kinds = {kind.__name__: kind for kind in KINDS.values()}
    if name not in kinds:
        raise DeepSimError(f"no message is named {name!r}; known: {', '.join(kinds)}")
    return of_json(kinds[name], fields)


def content_of(sample: Any) -> Any:
    """Decodes a sample into a message or a frame of arrays.

    Raises:
        MessageError: The sample is neither a message nor a frame.
    """
    payload = sample.payload.to_bytes()
    kind = KINDS.get(str(sample.encoding))
    return unpack(payload) if kind is None else decode(kind, payload)


def kind_of(sample: Any) -> str:
    """Returns what a sample carries: the name of a message, ``rows``, or bytes."""
    try:
        content = content_of(sample)
    except MessageError:
        return f"bytes ({sample.encoding})"
    return "rows" if hasattr(content, "arrays") else type(content).__name__
