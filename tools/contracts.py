# SPDX-License-Identifier: Apache-2.0
"""The import contracts of .importlinter: the table of what a library may import, and no circles."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase

import grimp
from importlinter import Contract, ContractCheck, fields, output

_FREE = {*sys.stdlib_module_names, "typing_extensions"}  # type checkers bring typing_extensions


class Table(Contract):
    """Each library, or folder of one, imports only what its row names.

    A row may name no library of a row above it, so that imports point down.
    """

    rows = fields.ListField(subfield=fields.StringField())

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Returns whether all imports are admitted, and those that are not."""
        table = {}
        for row in self.rows:  # type: ignore[attr-defined]
            name, _, admitted = str(row).partition(":")
            table[name.strip()] = admitted.split()
        libraries = sorted(self.session_options["root_packages"])
        problems = [f"{name} has no row" for name in libraries if name not in table]
        problems += _upward(table)
        for importer in sorted(graph.modules):
            library = importer.partition(".")[0]
            if library not in table:
                continue
            place = max((name for name in table if _within(importer, name)), key=len)
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                package = imported.partition(".")[0]
                if package not in _FREE | {library} and not _admits(table[place], package):
                    problems.append(f"{importer} -> {imported}: the row of {place} does not say so")
        return ContractCheck(kept=not problems, metadata={"problems": problems})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Prints the imports."""
        for problem in check.metadata["problems"]:
            output.print_error(f"- {problem}")


def _within(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")


def _admits(patterns: list[str], package: str) -> bool:
    return any(fnmatchcase(package, pattern) for pattern in patterns)


def _upward(table: dict[str, list[str]]) -> Iterator[str]:
    """Yields the libraries that are named in a row below their own."""
    above: set[str] = set()
    for name, admitted in table.items():
        own = name.partition(".")[0]
        for library in sorted(above - {own}):
            if _admits(admitted, library):
                yield f"the row of {name} names {library}, whose row is above"
        above.add(own)


class NoCircles(Contract):
    """No circle of imports between the modules, or the folders, of a library.

    All imports count that ever run, also those inside functions. An import for annotations alone
    does not: a part may name the type of the whole that holds it.
    """

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Returns whether there is none, and imports without which there would be none."""
        names = self.session_options["root_packages"]
        running = grimp.build_graph(*names, exclude_type_checking_imports=True, cache_dir=None)
        found: set[tuple[str, str]] = set()
        for package in running.modules:
            found |= running.nominate_cycle_breakers(package)
            found |= {
                (importer, package)
                for importer in running.find_modules_that_directly_import(package)
                if importer.startswith(f"{package}.")
            }
        return ContractCheck(kept=not found, metadata={"imports": sorted(found)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Prints the imports."""
        output.print_error("There would be no circle of imports without these:")
        for importer, imported in check.metadata["imports"]:
            output.print_error(f"- {importer} -> {imported}")
