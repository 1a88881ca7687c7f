# SPDX-License-Identifier: Apache-2.0
"""The monitor protocol by which Groot2 and other programs watch trees of BehaviorTree.CPP.

Needs the extra ``groot``.
"""

from .publisher import GrootPublisher

__all__ = ["GrootPublisher"]
