# SPDX-License-Identifier: Apache-2.0
"""Trees as generated Python functions, which many agents share: the engine of `Template`."""

from .compiler import Compiler
from .nodes import copy_nodes
from .program import OwnLeaf, Program, State
from .runtime import NoStatusError, halt_leaf

__all__ = ["Compiler", "NoStatusError", "OwnLeaf", "Program", "State", "copy_nodes", "halt_leaf"]
