# SPDX-License-Identifier: Apache-2.0
"""`deepsim topic`: shows the topics over which processes communicate, and their messages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from deepsim_sync import DeepSimError

from .options import Namespace
from .processes import errors

if TYPE_CHECKING:
    from deepsim_transport import Topic, Transport

topic = typer.Typer(no_args_is_help=True, help="Shows the topics of processes, and their messages.")

_FIRST = 2.0  # the time that `info` waits for a message [s]
Seconds = Annotated[float, typer.Option(min=0.1, help="Time to listen, s.")]


@topic.command("list")
def list_topics(namespace: Namespace = "default") -> None:
    """Lists the topics that have a publisher, a subscriber or a server."""
    console = Console()
    with errors(console), _session(namespace) as transport:
        for name in transport.topics():
            console.print(f"/{transport.key(name)}", highlight=False, soft_wrap=True)


@topic.command()
def info(name: str, namespace: Namespace = "default") -> None:
    """Prints the type, publishers, subscribers and servers of a topic."""
    console = Console()
    with errors(console), _session(namespace) as transport:
        found = _known(transport, name)
        heard: SimpleQueue[Any] = SimpleQueue()
        kind = "requests" if found.answering else "nothing heard"
        if found.publishers:
            with _listening(transport, name, heard.put), suppress(Empty):
                kind = _kind(heard.get(timeout=_FIRST))
        lines = (
            f"/{transport.key(name)}: {kind}",
            f"publishers: {len(found.publishers)}",
            f"subscribers: {len(found.subscribers)}",
            f"answering: {len(found.answering)}",
        )
        for line in lines:
            console.print(line, highlight=False, soft_wrap=True, markup=False)


@topic.command()
def hz(name: str, namespace: Namespace = "default", seconds: Seconds = 5.0) -> None:
    """Prints the rate of a topic's messages."""
    console = Console()
    with errors(console), _session(namespace) as transport:
        sizes = _sizes(transport, name, seconds)
        console.print(f"{len(sizes) / seconds:.1f} Hz", highlight=False)


@topic.command()
def bw(name: str, namespace: Namespace = "default", seconds: Seconds = 5.0) -> None:
    """Prints the bandwidth of a topic and the sizes of its messages."""
    console = Console()
    with errors(console), _session(namespace) as transport:
        sizes = _sizes(transport, name, seconds)
        text = f"{sum(sizes) / seconds / 1000:.1f} kB/s, {len(sizes)} messages"
        if sizes:
            mean = sum(sizes) / len(sizes)
            text += f" of {min(sizes)} to {max(sizes)} bytes, {mean:.0f} on average"
        console.print(text, highlight=False)


@topic.command()
def echo(
    name: str,
    namespace: Namespace = "default",
    count: Annotated[int, typer.Option(min=1, help="Number of messages to print.")] = 1,
) -> None:
    """Prints the messages of a topic as they arrive."""
    console = Console()
    with errors(console), _session(namespace) as transport:
        heard: SimpleQueue[Any] = SimpleQueue()
        with _listening(transport, name, heard.put):
            for _ in range(count):
                _print(console, heard.get())


def _known(transport: Transport, name: str) -> Topic:
    topics = transport.topics()
    if name not in topics:
        known = ", ".join(topics) or "none"
        raise DeepSimError(f"no topic is {transport.key(name)!r}; known: {known}")
    return topics[name]


def _content(sample: Any) -> Any:
    """Decodes a sample into a message or a frame of arrays.

    Raises:
        MessageError: The sample is neither a message nor a frame.
    """
    from deepsim_transport.messages import KINDS, decode  # noqa: PLC0415 (of an extra)
    from deepsim_transport.rows import unpack  # noqa: PLC0415

    payload = sample.payload.to_bytes()
    kind = KINDS.get(str(sample.encoding))
    return unpack(payload) if kind is None else decode(kind, payload)


def _kind(sample: Any) -> str:
    from deepsim_transport import MessageError  # noqa: PLC0415 (of an extra)

    try:
        content = _content(sample)
    except MessageError:
        return f"bytes ({sample.encoding})"
    return "rows" if hasattr(content, "arrays") else type(content).__name__


def _print(console: Console, sample: Any) -> None:
    from deepsim_transport import MessageError  # noqa: PLC0415 (of an extra)

    try:
        content = _content(sample)
    except MessageError as error:
        console.print(f"unreadable: {error}", highlight=False, markup=False)
        return
    if not hasattr(content, "arrays"):
        console.print(content)
        return
    console.print(dict(content.header))
    for name, array in content.arrays.items():
        console.print(f"{name} {array.shape}", highlight=False, markup=False)
        console.print(str(array), highlight=False, markup=False)


def _sizes(transport: Transport, name: str, seconds: float) -> list[int]:
    """Returns the sizes of all messages that arrive within some seconds [bytes]."""
    found: list[int] = []
    with _listening(transport, name, lambda sample: found.append(len(sample.payload))):
        threading.Event().wait(seconds)
    return found


@contextmanager
def _listening(transport: Transport, name: str, hear: Callable[[Any], object]) -> Iterator[None]:
    subscriber = transport.declare("subscriber", name, hear)
    try:
        yield
    finally:
        subscriber.undeclare()


@contextmanager
def _session(namespace: str) -> Iterator[Transport]:
    from deepsim_transport import Transport  # noqa: PLC0415 (of an extra)

    with Transport(namespace=namespace) as transport:
        yield transport
