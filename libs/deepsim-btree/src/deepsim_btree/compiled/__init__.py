# SPDX-License-Identifier: Apache-2.0
"""Trees as generated Python functions: of the agents of a `Template`, or of one `Tree`."""

from .compiler import Compiler
from .node_compiler import NodeCompiler, NodeProgram
from .nodes import copy_nodes
from .program import OwnLeaf, Program, State
from .runtime import NoStatusError, halt_leaf

__all__ = [
    "Compiler",
    "NoStatusError",
    "NodeCompiler",
    "NodeProgram",
    "OwnLeaf",
    "Program",
    "State",
    "copy_nodes",
    "halt_leaf",
]
