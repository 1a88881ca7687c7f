# SPDX-License-Identifier: Apache-2.0
"""Side channels: a trainer and its task exchange values by key, independently of steps."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any, Protocol

from .messages import MOST_NUMBERS, SideChannelValue

_MOST_KEYS = 1024
_LONGEST_KEY = 256
_LARGEST_VALUE = 2**16  # maximum size of bytes, and of text in UTF-8 [bytes]


class SideChannelObserver(Protocol):
    """Receives the values from the other end of a side channel.

    Example:
        >>> class Printer:
        ...     def on_received(self, side_channel, key, value):
        ...         print(key, value)
        >>> trainer, task = SideChannel(), SideChannel()
        >>> trainer.join(task)
        >>> task.register(Printer())
        >>> trainer.send("level", 3)
        level 3
    """

    def on_received(self, side_channel: AbstractSideChannel, key: str, value: Any) -> None:
        """Receives a `SideChannelValue`; a `RemoteEnvironment` calls this in another thread."""


class AbstractSideChannel(ABC):
    """One end of a side channel: sends values, and passes received ones to observers."""

    def __init__(self) -> None:
        self._values: dict[str, SideChannelValue] = {}
        self._observers: list[tuple[SideChannelObserver, str | None]] = []
        self._lock = threading.RLock()

    def register(self, observer: SideChannelObserver, key: str | None = None) -> None:
        """Adds an observer for a key, or for all keys; has no effect if it was already added."""
        with self._lock:
            if (observer, key) not in self._observers:
                self._observers.append((observer, key))

    def unregister(self, observer: SideChannelObserver, key: str | None = None) -> None:
        """Removes an observer for a key; without a key, removes the observer for all keys."""
        with self._lock:
            self._observers = [
                (each, of)
                for each, of in self._observers
                if each is not observer or (key is not None and of != key)
            ]

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of a key that this end received or stored last."""
        return self._values.get(key, default)

    def store(self, key: str, value: SideChannelValue) -> None:
        """Keeps a value at this end without sending it; raises the same errors as `send`."""
        require_sendable(key, value)
        with self._lock:
            self._require_room(key)
            self._values[key] = value

    def check(self, key: str, value: SideChannelValue, store_local: bool = False) -> None:
        """Raises the same errors as `send`, but sends nothing."""
        require_sendable(key, value)
        if store_local:
            self._require_room(key)

    def send(self, key: str, value: SideChannelValue, store_local: bool = False) -> None:
        """Sends a value to the other end.

        Args:
            key: The key, of at most 256 characters.
            value: A bool, 32-bit int, float, list of floats, str or bytes.
            store_local: Whether this end keeps the value as well, as do all clients of a server.

        Raises:
            TypeError: A side channel cannot carry values of this type.
            ValueError: The key or the value is too large, or there are too many keys.
        """
        self.check(key, value, store_local)
        if store_local:
            self.store(key, value)
        self._send(key, value, store_local)

    def notify(self, key: str, value: SideChannelValue) -> None:
        """Keeps a value from the other end, and passes it to the observers."""
        self.store(key, value)
        with self._lock:
            observers = [each for each, of in self._observers if of is None or of == key]
        for observer in observers:
            observer.on_received(self, key, value)

    def _require_room(self, key: str) -> None:
        if key not in self._values and len(self._values) >= _MOST_KEYS:
            raise ValueError(f"a side channel keeps at most {_MOST_KEYS} keys")

    @abstractmethod
    def _send(self, key: str, value: SideChannelValue, store_local: bool) -> None:
        """Transfers a value to the other end."""


class SideChannel(AbstractSideChannel):
    """An end of a side channel within this process; `join` connects it with the other end.

    An area that listens to trainers has one as its attribute ``side_channel``. Values that are sent
    before another end is joined are lost.

    Example:
        >>> trainer, task = SideChannel(), SideChannel()
        >>> trainer.join(task)
        >>> trainer.send("level", 3)
        >>> task.get("level")
        3
    """

    def __init__(self) -> None:
        super().__init__()
        self._other: SideChannel | None = None

    def join(self, other: SideChannel) -> None:
        """Connects this end with another."""
        self._other, other._other = other, self

    def check(self, key: str, value: SideChannelValue, store_local: bool = False) -> None:
        """Raises the same errors as `send`; also checks that the other end has room for the key."""
        super().check(key, value, store_local)
        if self._other is not None:
            self._other._require_room(key)

    def _send(self, key: str, value: SideChannelValue, store_local: bool) -> None:
        if self._other is not None:
            self._other.notify(key, value)


def require_sendable(key: str, value: Any) -> None:
    """Raises the errors of `send` for a key or value that no side channel can carry."""
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
    octets = value.encode() if isinstance(value, str) else value  # UnicodeError is a ValueError.
    if isinstance(octets, bytes) and len(octets) > _LARGEST_VALUE:
        raise ValueError(f"a value has at most {_LARGEST_VALUE} bytes, got {len(octets)}")
    if type(value) is int and not -(2**31) <= value < 2**31:
        raise ValueError(f"an int in a side channel must fit into 32 bits, got {value}")
