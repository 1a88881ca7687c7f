# SPDX-License-Identifier: Apache-2.0
"""Hooks: breakpoints of Groot2, and answers with which it replaces those of nodes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.status import FAILURE, RUNNING, SUCCESS, Status

if TYPE_CHECKING:
    from deepsim_btree.tree import Tree


_BEFORE, _AFTER = 0, 1
_BREAKPOINT = 0
_ANSWERS = {"SUCCESS": SUCCESS, "FAILURE": FAILURE}
_FIELDS = {
    "enabled": bool, "uid": int, "mode": int, "once": bool, "desired_status": str, "position": int
}  # fmt: skip
_PATIENCE = 5.0  # [s] without a request of any monitor, after which a stopped tree continues


@dataclass
class Hook:
    """A breakpoint or a replaced answer, before or after the tick of one node."""

    fields: dict[str, Any]
    is_ready: bool = False


class Hooks:
    """All hooks of a tree; the requests of monitors come from another thread.

    A breakpoint stops the thread of the tree within the tick, until a monitor unlocks, removes or
    disables the breakpoint, or all monitors have been silent for 5 s.

    Args:
        tree: The tree.
        reached: Called with the number of a node when the tree has stopped there.
    """

    def __init__(self, tree: Tree, reached: Callable[[int], None]) -> None:
        self._tree = tree
        self._reached = reached
        self._hooks: dict[tuple[int, int], Hook] = {}  # by position and number of the node
        self._numbers: dict[Behaviour, int] = {}
        self._changed = threading.Condition()
        self._last_request = time.monotonic()

    def renumber(self, nodes: dict[int, Behaviour]) -> None:
        """Replaces the nodes, which are given by number, and removes all hooks."""
        with self._changed:
            self._numbers = {node: uid for uid, node in nodes.items()}
            self._hooks = {}
            self._watch()

    def heard(self) -> None:
        """Records the time of a request of a monitor."""
        self._last_request = time.monotonic()

    def insert(self, text: bytes) -> str | None:
        """Inserts or replaces one hook or a list; returns an error message if the text has none."""
        found = _parsed(text)
        wanted = found if isinstance(found, list) else [found]
        for fields in wanted:
            if not isinstance(fields, dict) or not all(
                type(fields.get(name)) is kind for name, kind in _FIELDS.items()
            ):
                return "not a hook"
        with self._changed:
            for fields in wanted:
                if fields["uid"] not in self._numbers.values():
                    continue
                key = (fields["position"], fields["uid"])
                known = self._hooks.setdefault(key, Hook(fields))
                known.fields = fields
                known.is_ready = fields["mode"] != _BREAKPOINT
            self._watch()
            self._changed.notify_all()
        return None

    def remove(self, text: bytes) -> str | None:
        """Removes a hook; returns an error message if it does not exist."""
        with self._changed:
            hook = self._find(text)
            if hook is None:
                return "Node ID not found"
            self._drop(hook)
        return None

    def unlock(self, text: bytes) -> str | None:
        """Lets the tree continue from a breakpoint; returns an error message if there is none."""
        request = _parsed(text)
        with self._changed:
            hook = self._find(text)
            if hook is None:
                return "Node ID not found"
            hook.fields["desired_status"] = str(request.get("desired_status", ""))
            hook.fields["once"] = hook.fields["once"] or bool(request.get("remove_when_done"))
            hook.is_ready = True
            self._changed.notify_all()
        return None

    def remove_all(self) -> None:
        """Removes all hooks, so that the tree continues."""
        with self._changed:
            for hook in list(self._hooks.values()):
                self._drop(hook)

    def disable_all(self) -> None:
        """Disables all hooks, so that the tree continues."""
        with self._changed:
            for hook in self._hooks.values():
                hook.fields["enabled"] = False
            self._changed.notify_all()

    def dump(self) -> bytes:
        """Returns all hooks as JSON, in the order of their numbers."""
        with self._changed:
            hooks = [self._hooks[key].fields for key in sorted(self._hooks)]
            hooks = [{name: hook[name] for name in sorted(_FIELDS)} for hook in hooks]
        return json.dumps(hooks, separators=(",", ":")).encode()

    def _find(self, text: bytes) -> Hook | None:
        request = _parsed(text)
        if not isinstance(request, dict):
            return None
        position, uid = request.get("position"), request.get("uid")
        if not isinstance(position, int) or not isinstance(uid, int):
            return None
        return self._hooks.get((position, uid))

    def _drop(self, hook: Hook) -> None:
        self._hooks.pop((hook.fields["position"], hook.fields["uid"]), None)
        hook.fields["enabled"] = False  # ends the wait of a thread at this hook
        self._watch()
        self._changed.notify_all()

    def _pass(self, position: int, uid: int) -> Status | None:
        """Stops at a breakpoint, and returns the answer that replaces the node's, or None."""
        with self._changed:
            hook = self._hooks.get((position, uid))
            if hook is None or not hook.fields["enabled"]:
                return None
            if hook.fields["mode"] == _BREAKPOINT:
                self._reached(uid)
                self._wait(hook)
                if not hook.is_ready:  # disabled, removed or forgotten
                    return None
                hook.is_ready = False
            if hook.fields["once"]:
                self._drop(hook)
            return _ANSWERS.get(hook.fields["desired_status"])

    def _wait(self, hook: Hook) -> None:
        self._last_request = time.monotonic()
        while not hook.is_ready and hook.fields["enabled"]:
            if time.monotonic() - self._last_request > _PATIENCE:
                return
            self._changed.wait(0.2)

    def _watch(self) -> None:
        self._tree.unwrap(self._wrap)
        if self._hooks:
            self._tree.wrap(self._wrap)

    def _wrap(self, node: Behaviour, tick: Callable[[], Status]) -> Status:
        uid = self._numbers.get(node)
        if uid is None:
            return tick()
        answer = self._pass(_BEFORE, uid)
        if answer is not None:
            node.halt()
            return answer
        status = tick()
        answer = None if status is RUNNING else self._pass(_AFTER, uid)
        return status if answer is None else answer


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
