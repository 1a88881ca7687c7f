# SPDX-License-Identifier: Apache-2.0
"""Python values as UDE sends them: an Arrow stream with a dense union, then tensors. No pickle.

Everything is read by our own bounded reader; a payload that is not what UDE's own encoder could
have written from allowed types is refused with a `PayloadError`.
"""

from .limits import Limits
from .payload import Codec, decode, encode

__all__ = ["Codec", "Limits", "decode", "encode"]
