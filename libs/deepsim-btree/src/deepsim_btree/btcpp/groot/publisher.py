# SPDX-License-Identifier: Apache-2.0
"""GrootPublisher: answers the requests of monitors."""

from __future__ import annotations

import struct
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
import zmq
from msgspec.msgpack import encode

from deepsim_btree.blackboard import Blackboard
from deepsim_btree.errors import TickError
from deepsim_btree.trace import Snapshot, Trace
from deepsim_btree.trace.observer import Closing, shortened_repr

from .description import Description, Statuses
from .hooks import Hooks

if TYPE_CHECKING:
    from deepsim_btree.tree import Tree

_PROTOCOL = 2
_HEADER = struct.Struct("<BBI")  # protocol, kind of request, number of the request
_MOST_TRANSITIONS = 1000
_POLL = 100  # [ms]
_PATIENCE = 0.1  # [s] for which a request for blackboards waits for the end of a tick
_INTEREST = 5.0  # [s] after such a request during which every tick packs the blackboards


class GrootPublisher(Closing):
    """A server through which Groot2 and other monitors of BehaviorTree.CPP watch a tree.

    It implements version 2 of the monitor protocol of Groot2, over ZeroMQ on this machine: the
    tree, its statuses, blackboards and transitions, breakpoints and replaced answers. The thread of
    the tree only records changes; clients do not slow it down, but can stop it at breakpoints. Any
    program on this machine can attach without a password.

    Args:
        tree: The tree.
        port: The TCP port on 127.0.0.1; set it in Groot2, too, if it differs from the default. The
            next port announces breakpoints.
        tree_id: Name of the tree in Groot2.

    Raises:
        OSError: One of the two ports is in use.
    """

    def __init__(self, tree: Tree, *, port: int = 1667, tree_id: str = "Main") -> None:
        self._tree = tree
        self._tree_id = tree_id
        self._context = zmq.Context()
        self._socket = self._bound(zmq.REP, port)
        self._reached = self._bound(zmq.PUB, port + 1)
        self._hooks = Hooks(tree, self._tell_reached)
        self._noted = threading.Condition()
        self._boards_until = 0.0
        self._board_count = 0
        self._boards: dict[str, bytes] = {}
        self._transitions: deque[bytes] | None = None
        self._recording_since = 0.0
        self._snapshot: Snapshot | None = None
        self._trace = Trace(tree, limit=1)
        self._observe("start", None)
        self._note_boards()
        tree.subscribe(self._observe)
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Frees the ports and stops watching the tree; any thread may call it, more than once."""
        if self._is_closed:
            return
        self._is_closed = True
        self._tree.unsubscribe(self._observe)
        self._trace.close()
        self._hooks.remove_all()
        self._thread.join()
        self._context.destroy(linger=0)

    def _bound(self, kind: int, port: int) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        try:
            socket.bind(f"tcp://127.0.0.1:{port}")
        except zmq.ZMQError as error:
            self._context.destroy(linger=0)
            text = f"cannot listen on 127.0.0.1:{port}: {error.strerror}"
            raise OSError(error.errno, text) from None
        return socket

    def _tell_reached(self, uid: int) -> None:
        """Informs monitors that a node has stopped the tree; called by the thread of the tree."""
        number = int.from_bytes(uuid.uuid4().bytes[:4], "little")
        head = _HEADER.pack(_PROTOCOL, ord("N"), number)
        self._reached.send_multipart([head, str(uid).encode()])

    def _observe(self, call: str, error: TickError | None) -> None:
        """Records changes; called by the thread of the tree."""
        step = self._trace.recording.steps[-1]
        before = self._snapshot
        if step.snapshot is not before:
            self._snapshot = step.snapshot
            with self._noted:
                if before is None or before.nodes is not step.snapshot.nodes:
                    self._description = Description(self._tree.root, self._tree_id)
                    self._statuses = Statuses(self._description.nodes)
                    walked = list(self._tree.root.walk())
                    numbered = {n.uid: walked[n.position] for n in self._description.nodes}
                    self._hooks.renumber(numbered)
                    self._tree_uuid = uuid.uuid4().bytes  # so that monitors ask for the tree again
                elif call == "reset":
                    self._statuses.reset()
                self._record(self._statuses.update(step.snapshot.states))
        if self._boards_until and time.monotonic() < self._boards_until:
            self._note_boards()

    def _record(self, changed: list[tuple[int, int]]) -> None:
        if self._transitions is None:
            return
        microseconds = int((self._now() - self._recording_since) * 1e6)
        stamp = struct.pack("<q", max(0, microseconds))[:6]
        for number, status in changed:
            idle = 0 if status >= 10 else status
            self._transitions.append(stamp + struct.pack("<HB", number & 0xFFFF, idle))

    def _now(self) -> float:
        tree = self._tree
        return time.monotonic() if tree.clock is None or not tree.tick_count else tree.now

    def _note_boards(self) -> None:
        boards = {
            name: _packed_board(
                self._tree.blackboard if subtree is None else subtree.scope, subtree
            )
            for name, subtree in self._description.scopes.items()
        }
        with self._noted:
            self._boards = boards
            self._board_count += 1
            self._noted.notify_all()

    def _serve(self) -> None:
        while not self._is_closed:
            if self._socket.poll(_POLL):
                self._socket.send_multipart(self._answer(self._socket.recv_multipart()))

    def _answer(self, request: list[bytes]) -> list[bytes]:
        if len(request[0]) != _HEADER.size:
            return _error("wrong request header")
        _, kind, number = _HEADER.unpack(request[0])
        self._hooks.heard()
        with self._noted:
            if chr(kind) in _ANSWERS:
                answer = _ANSWERS[chr(kind)](self)
            elif chr(kind) not in _ANSWERS_TO_PART:
                answer = "Request not recognized"
            elif len(request) != 2:
                answer = "must be 2 parts message"
            else:
                answer = _ANSWERS_TO_PART[chr(kind)](self, request[1])
            head = _HEADER.pack(_PROTOCOL, kind, number) + self._tree_uuid
        return _error(answer) if isinstance(answer, str) else [head, *(answer or ())]

    def _blackboards(self, part: bytes) -> list[bytes]:
        count = self._board_count
        self._boards_until = time.monotonic() + _INTEREST
        self._noted.wait_for(lambda: self._board_count > count, timeout=_PATIENCE)
        names = part.decode("utf-8", "replace").split(";")
        found = {name: msgspec.Raw(self._boards[name]) for name in names if name in self._boards}
        return [encode(found or None)]

    def _toggle_recording(self, part: bytes) -> list[bytes]:
        if part == b"start":
            self._transitions = deque(maxlen=_MOST_TRANSITIONS)
            self._recording_since = self._now()
            return [str(int(time.time() * 1e6)).encode()]
        if part == b"stop":
            self._transitions = None
        return []

    def _take_transitions(self) -> list[bytes]:
        taken = b"".join(self._transitions or ())
        if self._transitions is not None:
            self._transitions.clear()
        return [taken]


# By the letter of the request; the second ones need a second part.
_ANSWERS: dict[str, Callable[[GrootPublisher], list[bytes] | str | None]] = {
    "T": lambda its: [its._description.xml.encode()],
    "S": lambda its: [its._statuses.packed()],
    "t": GrootPublisher._take_transitions,
    "A": lambda its: its._hooks.remove_all(),
    "X": lambda its: its._hooks.disable_all(),
    "D": lambda its: [its._hooks.dump()],
}
_ANSWERS_TO_PART: dict[str, Callable[[GrootPublisher, bytes], list[bytes] | str | None]] = {
    "B": GrootPublisher._blackboards,
    "r": GrootPublisher._toggle_recording,
    "I": lambda its, part: its._hooks.insert(part),
    "R": lambda its, part: its._hooks.remove(part),
    "U": lambda its, part: its._hooks.unlock(part),
}


def _error(reason: str) -> list[bytes]:
    return [b"error", reason.encode()]


def _packed_board(board: Blackboard, subtree: Any) -> bytes:
    values = {}
    for name in sorted(board):
        if subtree is None or subtree.outside(name) is None:
            value = board[name]
            try:
                values[name] = msgspec.Raw(encode(value))
            except (TypeError, ValueError, OverflowError):
                values[name] = msgspec.Raw(encode(shortened_repr(value)))
    return encode(values)
