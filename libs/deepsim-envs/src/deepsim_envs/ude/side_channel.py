# SPDX-License-Identifier: Apache-2.0
"""A side channel: values by key between a trainer and its task, outside of steps."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any, Protocol

from .messages import MOST_NUMBERS, SideChannelValue

_MOST_KEYS = 1024
_LONGEST_KEY = 256
_LARGEST_VALUE = 2**16  # bytes, of text too


class SideChannelObserver(Protocol):
    """Is told of what the other end of a side channel sent."""

    def on_received(self, side_channel: AbstractSideChannel, key: str, value: Any) -> None:
        """A value has come; on a remote environment, in a thread of its own.

        Args:
            side_channel: Where it came.
            key: What it is.
            value: A `SideChannelValue`.
        """


class AbstractSideChannel(ABC):
    """One end: it keeps values by key, sends, and tells observers of what comes."""

    def __init__(self) -> None:
        self._values: dict[str, SideChannelValue] = {}
        self._observers: list[tuple[SideChannelObserver, str | None]] = []
        self._lock = threading.RLock()

    def register(self, observer: SideChannelObserver, key: str | None = None) -> None:
        """Has an observer told of values of a key, or of all; twice is once."""
        with self._lock:
            if (observer, key) not in self._observers:
                self._observers.append((observer, key))

    def unregister(self, observer: SideChannelObserver, key: str | None = None) -> None:
        """Tells the observer no more of that key; without a key, of none."""
        with self._lock:
            self._observers = [
                (who, what)
                for who, what in self._observers
                if who is not observer or (key is not None and what != key)
            ]

    def get(self, key: str, default: Any = None) -> Any:
        """The latest value of a key that came or was stored here."""
        return self._values.get(key, default)

    def store(self, key: str, value: SideChannelValue) -> None:
        """Keeps a value here, without sending it.

        Raises:
            TypeError: A side channel carries no such value.
            ValueError: The key or the value is too large, or there are too many keys.
        """
        require_sendable(key, value)
        with self._lock:
            self._require_room(key)
            self._values[key] = value

    def check(self, key: str, value: SideChannelValue, store_local: bool = False) -> None:
        """Refuses what `send` would refuse, and sends nothing.

        Raises:
            TypeError: A side channel carries no such value.
            ValueError: The key or the value is too large, or there are too many keys.
        """
        require_sendable(key, value)
        if store_local:
            self._require_room(key)

    def send(self, key: str, value: SideChannelValue, store_local: bool = False) -> None:
        """Sends a value to the other end.

        Args:
            key: What it is, at most 256 characters.
            value: A bool, int of 32 bits, float, list of floats, str or bytes.
            store_local: Whether this end keeps it too, and so do all clients of a server.

        Raises:
            TypeError: A side channel carries no such value.
            ValueError: The key or the value is too large, or there are too many keys.
        """
        self.check(key, value, store_local)
        if store_local:
            self.store(key, value)
        self._send(key, value, store_local)

    def notify(self, key: str, value: SideChannelValue) -> None:
        """Keeps a value that came from the other end, and tells the observers."""
        self.store(key, value)
        with self._lock:
            told = [who for who, what in self._observers if what is None or what == key]
        for observer in told:
            observer.on_received(self, key, value)

    def _require_room(self, key: str) -> None:
        if key not in self._values and len(self._values) >= _MOST_KEYS:
            raise ValueError(f"a side channel keeps at most {_MOST_KEYS} keys")

    @abstractmethod
    def _send(self, key: str, value: SideChannelValue, store_local: bool) -> None:
        """Brings a value to the other end."""


class SideChannel(AbstractSideChannel):
    """An end whose other end is in the same process; see `join`.

    An area that wants to hear from trainers has one as its attribute ``side_channel``. What is sent
    while there is no other end is lost.
    """

    def __init__(self) -> None:
        super().__init__()
        self._other: SideChannel | None = None

    def join(self, other: SideChannel) -> None:
        """Makes the two each other's other end."""
        self._other, other._other = other, self

    def check(self, key: str, value: SideChannelValue, store_local: bool = False) -> None:
        """Refuses what `send` would refuse; the other end keeps the value, and needs room too."""
        super().check(key, value, store_local)
        if self._other is not None:
            self._other._require_room(key)

    def _send(self, key: str, value: SideChannelValue, store_local: bool) -> None:
        if self._other is not None:
            self._other.notify(key, value)


def require_sendable(key: str, value: Any) -> None:
    """Refuses what a side channel does not carry.

    Raises:
        TypeError: The value is of another type.
        ValueError: The key or the value is too large, or text has no UTF-8.
    """
    if not isinstance(key, str) or len(key) > _LONGEST_KEY:
        raise ValueError(f"a key must be a str of at most {_LONGEST_KEY} characters, got {key!r}")
    if type(value) is list:
        if not all(type(number) is float for number in value):
            raise TypeError(f"a list in a side channel must be of floats, got {value!r}")
    elif type(value) not in {bool, int, float, str, bytes}:
        raise TypeError(
            "a side channel carries bool, int, float, list of floats, str and bytes, "
            f"got {type(value).__name__}"
        )
    if type(value) is list and len(value) > MOST_NUMBERS:
        raise ValueError(f"a list has at most {MOST_NUMBERS} floats, got {len(value)}")
    octets = value.encode() if isinstance(value, str) else value  # no UTF-8 is a ValueError
    if isinstance(octets, bytes) and len(octets) > _LARGEST_VALUE:
        raise ValueError(f"a value has at most {_LARGEST_VALUE} bytes, got {len(octets)}")
    if type(value) is int and not -(2**31) <= value < 2**31:
        raise ValueError(f"an int in a side channel must fit into 32 bits, got {value}")
