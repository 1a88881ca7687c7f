# SPDX-License-Identifier: Apache-2.0
"""Trees as generated Python functions, for the agents of a `Template` or for one `Tree`."""

from .copied_nodes import copy_nodes
from .program import Program, State
from .runtime import NoStatusError
from .template_compiler import TemplateCompiler
from .tree_compiler import TreeCompiler, TreeProgram

__all__ = [
    "NoStatusError",
    "Program",
    "State",
    "TemplateCompiler",
    "TreeCompiler",
    "TreeProgram",
    "copy_nodes",
]
