# SPDX-License-Identifier: Apache-2.0
"""Leaves that run a script: RunScript and ScriptCheck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.status import FAILURE, SUCCESS, Status

from .language import Script

if TYPE_CHECKING:
    from collections.abc import Mapping


class RunScript(Behaviour):
    """Runs a script and succeeds.

    Args:
        code: The script.
        enums: Names that stand for numbers in it.

    Raises:
        ValueError: `code` is not a script.
    """

    __slots__ = ("script",)

    def __init__(
        self, code: str, name: str | None = None, *, enums: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(name)
        self.script = Script(code, enums)

    @property
    def code(self) -> str:
        """The text of the script."""
        return self.script.text

    def update(self) -> Status:
        """Runs the script."""
        self.script.run(self)
        return SUCCESS


class ScriptCheck(RunScript):
    """Runs a script; succeeds if the value of its last statement is a number other than 0."""

    __slots__ = ()

    def update(self) -> Status:
        """Runs the script and looks at its value."""
        return SUCCESS if self.script.holds(self) else FAILURE
