# SPDX-License-Identifier: Apache-2.0
"""What a library's source imports, found by reading it, not by running it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from allowed import DISTRIBUTIONS, ROS_MODULES, ROS_SUFFIXES
from libraries import Library, normalise

_TYPE_CHECKING = {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


@dataclass(frozen=True)
class Import:
    """One import of something that is neither the standard library nor the library itself."""

    module: str
    file: Path
    line: int

    @property
    def distribution(self) -> str:
        """The name under which the module is installed and declared."""
        return normalise(DISTRIBUTIONS.get(self.module, self.module))

    @property
    def is_ros(self) -> bool:
        """Whether the module belongs to a ROS installation."""
        return self.module in ROS_MODULES or self.module.endswith(ROS_SUFFIXES)


def foreign_imports(library: Library) -> Iterator[Import]:
    """All imports below src/ of modules from elsewhere, at any depth of the code."""
    own = {library.module} | sys.stdlib_module_names
    for file in sorted(library.source.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        for name, line in _absolute_imports(tree):
            module = name.split(".")[0]
            if module not in own:
                yield Import(module, file, line)


def _absolute_imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, node.lineno
        elif isinstance(node, ast.If) and ast.unparse(node.test) in _TYPE_CHECKING:
            for found in _absolute_imports(node):
                if found[0] != "typing_extensions":  # type checkers bring it along
                    yield found
        else:
            yield from _absolute_imports(node)
