# SPDX-License-Identifier: Apache-2.0
"""The rules of leaves for many agents, whose functions get and return arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .branch import FAILURE, RUNNING, SUCCESS, Agents, Branch, Codes, Mask


def tick_action(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Calls the function, which returns one `Status` or an array of their codes."""
    value = branch.call(node.function, agents, *node.args, **node.kwargs)
    return branch.codes(value, agents, "an action")


def tick_check(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Calls the function, which returns a bool or an array of bools."""
    truths = ask(branch, agents, node.function, *node.args, **node.kwargs)
    # True is SUCCESS, 2, and False FAILURE, 3.
    return np.subtract(np.uint8(FAILURE), truths, dtype=np.uint8)


def tick_constant(node: Any, _: Branch, agents: Agents) -> Codes:
    """Returns the answer of the leaf."""
    return np.full(len(agents), node.answer, np.uint8)


def tick_wait(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Compares the durations of the runs with `seconds`."""
    starts = branch.run_state("start", np.nan)  # NaN outside a run
    since = starts[agents]
    since[np.isnan(since)] = branch.now
    is_over = branch.now - since >= node.seconds
    starts[agents] = np.where(is_over, np.nan, since)
    return np.where(is_over, SUCCESS, RUNNING).astype(np.uint8)


def ask(branch: Branch, agents: Agents, function: Any, *args: Any, **kwargs: Any) -> Mask:
    """Returns the answers of a condition, (n,).

    Raises:
        TickError: The function raised an exception or did not return bools.
    """
    answers = read(branch, agents, function, *args, **kwargs)
    if answers.dtype != np.bool_:
        raise branch.failed(f"a condition must return bools, got {answers!r}")
    return answers


def read(branch: Branch, agents: Agents, function: Any, *args: Any, **kwargs: Any) -> NDArray[Any]:
    """Returns one value per agent, (n,); AGENT is also replaced in the arguments of a partial.

    Raises:
        TickError: The function raised an exception or returned an array of the wrong length.
    """
    if isinstance(function, partial):
        args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
        function = function.func
    value = branch.call(function, agents, *args, **kwargs)
    values = np.asarray(value)
    if values.shape and values.shape != agents.shape:
        raise branch.failed(f"expected one value or an array of {len(agents)}, got {value!r}")
    return np.broadcast_to(values, agents.shape)
