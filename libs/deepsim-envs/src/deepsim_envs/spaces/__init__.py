# SPDX-License-Identifier: Apache-2.0
"""Members of Gymnasium's spaces: checked and copied one by one, or in batches over worlds."""

from .batches import Batch, batch_of
from .leaves import leafwise
from .members import conform, copied, require_within, shown

__all__ = ["Batch", "batch_of", "conform", "copied", "leafwise", "require_within", "shown"]
