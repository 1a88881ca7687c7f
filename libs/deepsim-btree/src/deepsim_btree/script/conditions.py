# SPDX-License-Identifier: Apache-2.0
"""Decorators that run scripts before and after their child: Conditions and Precondition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.arguments import check_status
from deepsim_btree.decorators.decorator import Decorator
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

from .language import Script

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deepsim_btree.behaviour import Behaviour

# In the order in which they are asked.
BEFORE = {"failure_if": FAILURE, "success_if": SUCCESS, "skip_if": SKIPPED}
NAMES = (*BEFORE, "while_true", "on_halted", "on_failure", "on_success", "post")


class Conditions(Decorator):
    """Asks scripts before a run of its child, and runs scripts after it.

    ``failure_if``, ``success_if`` and ``skip_if`` are asked in this order at the start of a run:
    the first that holds is the answer, without a run of the child. ``while_true`` is asked after
    them and at each later tick: when it does not hold the child is halted, and the answer SKIPPED.
    ``on_success`` or ``on_failure`` and then ``post`` run when there is an answer, and
    ``on_halted`` when the run is cut short.

    Args:
        scripts: Texts of scripts by these names.
        enums: Names that stand for numbers in them.

    Raises:
        ValueError: No such name exists, or a text is not a script.
    """

    __slots__ = ("scripts",)

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        scripts: Mapping[str, str],
        enums: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(child, name)
        unknown = sorted(set(scripts) - set(NAMES))
        if unknown:
            raise ValueError(f"scripts must be named {', '.join(NAMES)}, got {unknown[0]!r}")
        self.scripts = {n: Script(scripts[n], enums) for n in NAMES if n in scripts}

    def update(self) -> Status:
        """Asks, ticks the child, and runs what belongs to its answer."""
        status = self._before()
        if status is None:
            status = self.tick_child(self.child)
            status = FAILURE if status is INVALID else status
        if status is SUCCESS or status is FAILURE:
            self._run("on_success" if status is SUCCESS else "on_failure")
            self._run("post")
        return status

    def terminate(self, new_status: Status) -> None:
        """Runs ``on_halted`` if the node was halted."""
        if new_status is INVALID:
            self._run("on_halted")

    def _before(self) -> Status | None:
        if self.status is not RUNNING:
            for name, answer in BEFORE.items():
                if name in self.scripts and self.scripts[name].holds(self):
                    return answer
        if "while_true" in self.scripts and not self.scripts["while_true"].holds(self):
            if self.status is RUNNING:
                self.child.halt()
                self._run("on_halted")
            return SKIPPED
        return None

    def _run(self, name: str) -> None:
        if name in self.scripts:
            self.scripts[name].run(self)


class Precondition(Decorator):
    """Asks a script at the start of a run; ticks its child to the end if it holds.

    Args:
        condition: Text of the script.
        otherwise: What to answer if it does not hold.
        enums: Names that stand for numbers in it.

    Raises:
        ValueError: `condition` is not a script.
        TypeError: `otherwise` is not a `Status`.
    """

    __slots__ = ("_is_open", "otherwise", "script")

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        condition: str,
        otherwise: Status = FAILURE,
        enums: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(child, name)
        self.script = Script(condition, enums)
        self.otherwise = check_status("otherwise", otherwise)
        self._is_open = False

    @property
    def condition(self) -> str:
        """Text of the script."""
        return self.script.text

    def update(self) -> Status:
        """Asks, unless the child is in a run, and ticks it."""
        # RUNNING may be the answer without a run of the child, which is asked for again then.
        if self.status is not RUNNING:
            self._is_open = False
        if not self._is_open and not self.script.holds(self):
            return self.otherwise
        status = self.tick_child(self.child)
        self._is_open = status is RUNNING
        return status
