# SPDX-License-Identifier: Apache-2.0
"""The import contracts of .importlinter, which follow from the table in tools/allowed.py."""

from __future__ import annotations

import re
from collections.abc import Iterable

from allowed import ALLOWED, EXTRAS, KNOWN_BY, LAYERS
from libraries import UMBRELLA, Library

_HEAD = """\
# Written by tools/pin.py from the table in tools/allowed.py: an import may only point down its
# layers, to a library that the table admits.
[importlinter]
root_packages =
{libraries}
include_external_packages = True
contract_types =
    no_circles: tools.no_circles.NoCircles

[importlinter:contract:layers]
name = Imports point down the layers, never sideways
type = layers
layers =
{layers}

[importlinter:contract:circles]
name = No circle of imports within a library
type = no_circles
libraries =
{libraries}

[importlinter:contract:batch]
# Batches of trees are an extra, which the package itself does not import.
name = Of deepsim_btree, only deepsim_btree.batch knows numpy
type = forbidden
ignore_imports =
    deepsim_btree.batch.* -> numpy
unmatched_ignore_imports_alerting = none
source_modules =
    deepsim_btree
forbidden_modules =
    numpy
"""
_IMPORTERS = """
[importlinter:contract:{module}]
name = Who may import {module}
type = protected
protected_modules =
    {module}
allowed_importers =
{importers}
"""
_KNOWN = """
[importlinter:contract:{slug}]
name = Only {owners} may know {what}
type = forbidden
allow_indirect_imports = True
source_modules =
{others}
forbidden_modules =
{modules}
"""


def contracts(libraries: dict[str, Library]) -> str:
    """Returns the text of .importlinter for these libraries, by name."""
    modules = {name: library.module for name, library in libraries.items()}

    def lines(names: Iterable[str]) -> str:
        return "\n".join(f"    {modules[name]}" for name in sorted(names) if name in modules)

    layers = [
        " | ".join(modules[name] for name in sorted(layer) if name in modules) for layer in LAYERS
    ]
    text = _HEAD.format(
        libraries=lines(modules),
        layers="\n".join(f"    {layer}" for layer in [modules[UMBRELLA], *layers] if layer),
    )
    for name in sorted(ALLOWED.keys() & modules.keys()):
        importers = {UMBRELLA} | {
            other for other in ALLOWED if name in ALLOWED[other] | EXTRAS.get(other, set())
        }
        text += _IMPORTERS.format(module=modules[name], importers=lines(importers))
    for what, (owners, forbidden) in KNOWN_BY.items():
        text += _KNOWN.format(
            slug=re.sub(r"\W+", "-", what.lower()),
            owners=" and ".join(owner.replace("-", "_") for owner in sorted(owners)),
            what=what,
            others=lines(modules.keys() - owners),
            modules="\n".join(f"    {module}" for module in forbidden),
        )
    return text
