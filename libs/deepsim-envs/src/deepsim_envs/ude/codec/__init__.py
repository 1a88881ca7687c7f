# SPDX-License-Identifier: Apache-2.0
"""Encodes Python values as UDE does: an Arrow stream with a dense union, then tensors; no pickle.

A reader in this package, which bounds its use of memory, decodes payloads. It raises a
`PayloadError` for any payload that UDE's encoder could not have written from allowed types.
"""

from .arrow import Limits
from .payload import decode, encode

__all__ = ["Limits", "decode", "encode"]
