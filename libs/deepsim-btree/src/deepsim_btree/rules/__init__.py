# SPDX-License-Identifier: Apache-2.0
"""Translation of rules, the `update` methods of control nodes, into the other forms of a tree.

A rule is written once, as plain Python. `objects` makes the method that trees of nodes run,
`compiled` makes functions for the agents of a `Template`, and `batch` makes numpy code.
"""

from .expressions import UnknownError, evaluate, pure, query, rule_part
from .rule import NoRuleError, Rule, find_rule

__all__ = [
    "NoRuleError",
    "Rule",
    "UnknownError",
    "evaluate",
    "find_rule",
    "pure",
    "query",
    "rule_part",
]
