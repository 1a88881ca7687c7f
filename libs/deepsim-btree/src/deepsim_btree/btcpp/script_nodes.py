# SPDX-License-Identifier: Apache-2.0
"""Nodes that run scripts: leaves, and decorators that run them before and after their child."""

from __future__ import annotations

from collections.abc import Mapping

from deepsim_btree.arguments import check_status
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.parent import Decorator
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Attribute, Tag

from .script import Script

# In the order of evaluation.
BEFORE = {"failure_if": FAILURE, "success_if": SUCCESS, "skip_if": SKIPPED}
NAMES = (*BEFORE, "while_true", "on_halted", "on_failure", "on_success", "post")


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
        return SUCCESS if self.script.holds(self) else FAILURE


class Conditions(Decorator):
    """Tests scripts before a run of its child, and runs scripts after it.

    At the start of a run, ``failure_if``, ``success_if`` and ``skip_if`` are tested in this order.
    The first true one decides the answer, and the child is not ticked. ``while_true`` is tested
    next, and again at each later tick. If it is false, the child is halted and the answer is
    SKIPPED. When the answer is SUCCESS or FAILURE, ``on_success`` or ``on_failure`` runs, then
    ``post``. ``on_halted`` runs when the child is halted.

    >>> from deepsim_btree import Running, Tree
    >>> scripts = {"success_if": "battery > 20"}
    >>> tree = Tree(Conditions(Running("charge"), scripts=scripts), blackboard={"battery": 80})
    >>> tree.tick().name
    'SUCCESS'

    Args:
        scripts: Texts of scripts by the names above.
        enums: Values of names for numbers in the scripts.

    Raises:
        ValueError: A name in `scripts` is unknown, or a text is not a script.
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
    """Tests a script at the start of a run and, if it is true, ticks its child until it finishes.

    >>> from deepsim_btree import Success, Tree
    >>> root = Precondition(Success("drive"), condition="battery > 20")
    >>> Tree(root, blackboard={"battery": 5}).tick().name
    'FAILURE'

    Args:
        condition: Text of the script.
        otherwise: The answer if the script is false.
        enums: Values of names for numbers in the script.

    Raises:
        ValueError: `condition` is not a script.
        TypeError: `otherwise` is not a `Status`.
    """

    __slots__ = ("_is_open", "otherwise", "script")
    xml_tags = (
        Tag(
            "Precondition",
            condition=Attribute("if"),
            otherwise=Attribute("else", Status, FAILURE),
            hidden=("enums",),
        ),
    )

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
        # If `otherwise` is RUNNING, the script is tested again until the child has started.
        if self.status is not RUNNING:
            self._is_open = False
        if not self._is_open and not self.script.holds(self):
            return self.otherwise
        status = self.tick_child(self.child)
        self._is_open = status is RUNNING
        return status
