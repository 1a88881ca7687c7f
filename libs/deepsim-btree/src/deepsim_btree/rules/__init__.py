# SPDX-License-Identifier: Apache-2.0
"""Translation of rules, the `update` methods of control nodes, for the kinds of trees.

A rule is written once, as plain Python. `objects` turns it into the method that a `Tree` runs,
`compiled` into functions for the agents of a `Template`, and `batch` into numpy code.
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
