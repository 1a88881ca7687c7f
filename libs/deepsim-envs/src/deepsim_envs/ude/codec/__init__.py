# SPDX-License-Identifier: Apache-2.0
"""Python values as UDE sends them: an Arrow stream with a dense union, then tensors. No pickle.

Payloads are read by our own bounded reader; one that UDE's own encoder could not have written from
allowed types is refused with a `PayloadError`.
"""

from .payload import Codec, decode, encode
from .schema import Limits

__all__ = ["Codec", "Limits", "decode", "encode"]
