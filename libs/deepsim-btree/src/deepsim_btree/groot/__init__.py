# SPDX-License-Identifier: Apache-2.0
"""The monitor protocol of Groot2, with which it and other programs watch trees of BehaviorTree.CPP.

Needs ``pip install deepsim-btree[groot]``.
"""

from .publisher import GrootPublisher

__all__ = ["GrootPublisher"]
