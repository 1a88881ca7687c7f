# SPDX-License-Identifier: Apache-2.0
"""Replacements for nodes that BehaviorTree.CPP lacks, made of nodes that it has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Callable

from deepsim_btree.composites.parallel import Parallel, ParallelSelector, ParallelSequence
from deepsim_btree.decorators.counters import Repeater
from deepsim_btree.decorators.status_map import FailureIsSuccess, SuccessIsRunning, UntilFail
from deepsim_btree.errors import XmlError
from deepsim_btree.status import RUNNING, SUCCESS

from .element import Element

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

_ILLEGAL = re.compile(r"""[\s<>&"'/\\:*?|.]""")
_REASONS = {
    "Parallel": "it ticks all its children before it decides: make it eager",
    "ParallelSequence": "it ticks all its children before it decides: make it eager",
    "ParallelSelector": "it ticks all its children before it decides: make it eager",
    "RandomSequence": "it has no random order",
    "RandomSelector": "it has no random order",
    "Condition": "it has no decorator that waits for one status",
    "Limit": "it does not count ticks: use a Timeout",
    "Running": "it has no leaf that never ends: use a Wait",
    "FailureIsRunning": "it would try again without end in one tick: use a Retry around a Wait",
}


def rewritten(node: Behaviour, element: Callable[[Behaviour], Element]) -> Element:
    """Returns an element for a node that BehaviorTree.CPP lacks, made of nodes that it has.

    Args:
        node: A node whose tag exists only in this library.
        element: Returns the element for a child.

    Raises:
        XmlError: No combination of nodes of BehaviorTree.CPP does the same.
    """
    kind = type(node).__name__
    name = {} if node.name == kind else {"name": node.name}
    children = [element(child) for child in node.children]
    if isinstance(node, (ParallelSequence, ParallelSelector)) and node.eager:
        success, failure = node.success, node.failure
        counts = {"success_count": str(success), "failure_count": str(failure)}
        return Element("Parallel", {**name, **counts}, children)
    if isinstance(node, FailureIsSuccess):
        return Element("ForceSuccess", name, children)
    if isinstance(node, SuccessIsRunning):
        return Element("KeepRunningUntilFailure", name, children)
    if isinstance(node, UntilFail) and node.answers[3] is SUCCESS:
        return Element("Inverter", {}, [Element("KeepRunningUntilFailure", name, children)])
    if isinstance(node, Repeater) and node.repeat == -1:
        forced = Element("ForceSuccess", {}, children)
        return Element("Repeat", {**name, "num_cycles": "-1"}, [forced])
    reason = _REASONS.get(kind, "it has none that does the same")
    if isinstance(node, UntilFail) and node.answers[3] is RUNNING:
        reason = "it would never end"
    if isinstance(node, Parallel) and node.eager:
        reason = "it has none that does the same"
    raise XmlError(f"{node.path}: BehaviorTree.CPP has no {kind}: {reason}")


def check_name(node: Behaviour, name: str) -> None:
    """Checks that BehaviorTree.CPP accepts the name of a tree.

    Raises:
        XmlError: The name is empty or contains an illegal character.
    """
    illegal = _ILLEGAL.search(name)
    if illegal or not name:
        what = repr(illegal.group()) if illegal else "nothing"
        raise XmlError(
            f"{node.path}: BehaviorTree.CPP takes no tree called {name!r}, because of {what}"
        )
