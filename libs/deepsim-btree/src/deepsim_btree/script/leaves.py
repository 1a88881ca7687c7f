# SPDX-License-Identifier: Apache-2.0
"""RunScript and ScriptCheck, leaves that run a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.status import FAILURE, SUCCESS, Status
from deepsim_btree.tag import Tag

from .language import Script

if TYPE_CHECKING:
    from collections.abc import Mapping


class RunScript(Behaviour):
    """A leaf that runs a script and succeeds.

    >>> from deepsim_btree import Tree
    >>> tree = Tree(RunScript("laps := laps + 1"), blackboard={"laps": 2})
    >>> tree.tick().name, tree.blackboard["laps"]
    ('SUCCESS', 3)

    Args:
        code: The text of the script.
        enums: Values of names for numbers in the script.

    Raises:
        ValueError: `code` is not a script.
    """

    __slots__ = ("script",)
    xml_tags = (Tag("Script", hidden=("enums",)),)

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
        """Runs the script and returns SUCCESS."""
        self.script.run(self)
        return SUCCESS


class ScriptCheck(RunScript):
    """A leaf that runs a script, and succeeds if its last statement has a value other than 0.

    >>> from deepsim_btree import Tree
    >>> tree = Tree(ScriptCheck("battery > 20"), blackboard={"battery": 5})
    >>> tree.tick().name
    'FAILURE'
    """

    __slots__ = ()
    xml_tags = (Tag("ScriptCondition", hidden=("enums",)),)

    def update(self) -> Status:
        """Runs the script and returns SUCCESS or FAILURE."""
        return SUCCESS if self.script.holds(self) else FAILURE
