# SPDX-License-Identifier: Apache-2.0
"""Trees as generated Python functions, for the agents of a `Template` or for one `Tree`."""

from .compiler import Compiler
from .node_compiler import NodeCompiler, NodeProgram
from .nodes import copy_nodes
from .program import Program, State
from .runtime import NoStatusError

__all__ = [
    "Compiler",
    "NoStatusError",
    "NodeCompiler",
    "NodeProgram",
    "Program",
    "State",
    "copy_nodes",
]
