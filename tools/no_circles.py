# SPDX-License-Identifier: Apache-2.0
"""An import contract: within a library, imports make no circle."""

from __future__ import annotations

import grimp
from importlinter import Contract, ContractCheck, fields, output


class NoCircles(Contract):
    """No circle of imports between the modules, or the folders, of a library.

    All imports count that ever run, also those inside functions. An import for annotations alone
    does not: a part may name the type of the whole that holds it.
    """

    libraries = fields.ListField(subfield=fields.StringField())

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Returns whether there is none, and imports without which there would be none."""
        names = [str(name) for name in self.libraries]  # type: ignore[attr-defined]
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
