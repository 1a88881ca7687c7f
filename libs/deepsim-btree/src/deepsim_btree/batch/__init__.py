# SPDX-License-Identifier: Apache-2.0
"""Trees for thousands of agents at once, on numpy arrays, with the extra ``batch``."""

from .batch import Batch
from .branch import BatchNode

__all__ = ["Batch", "BatchNode"]
