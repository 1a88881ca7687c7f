# SPDX-License-Identifier: Apache-2.0
"""Functions of a Python float or of an array, so that one formula serves both.

On floats they answer as NumPy does: NaN where `math` raises.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def sqrt(x: Any) -> Any:
    """Square root of a number that is not negative."""
    return math.sqrt(x) if type(x) is float else np.sqrt(x)


def sin(x: Any) -> Any:
    """Sine; NaN of an infinite angle."""
    return _same(np.sin, x)


def cos(x: Any) -> Any:
    """Cosine; NaN of an infinite angle."""
    return _same(np.cos, x)


def tan(x: Any) -> Any:
    """Tangent; NaN of an infinite angle."""
    return _same(np.tan, x)


def arcsin(x: Any) -> Any:
    """Arc sine; NaN outside [-1, 1]."""
    return _same(np.arcsin, x)


def arctan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y)."""
    return _same(np.arctan2, y, x)


def fmod(x: Any, period: float) -> Any:
    """Rest of a division that rounds towards zero; NaN of infinity."""
    if type(x) is float:
        return math.fmod(x, period) if math.isfinite(x) else math.nan
    return np.fmod(x, period)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Choose `yes` where the condition holds, `no` elsewhere; both are already computed."""
    if type(condition) is bool:
        return yes if condition else no
    return np.where(condition, yes, no)


def copysign(size: Any, sign: Any) -> Any:
    """`size` with the sign of `sign`."""
    return math.copysign(size, sign) if type(size) is float else np.copysign(size, sign)


def minimum(a: Any, b: Any) -> Any:
    """Lesser of two; NaN when the first is NaN."""
    if type(a) is float and type(b) is float:
        return b if b < a else a
    return np.minimum(a, b)


def maximum(a: Any, b: Any) -> Any:
    """Greater of two; NaN when the first is NaN."""
    if type(a) is float and type(b) is float:
        return b if b > a else a
    return np.maximum(a, b)


def _same(function: np.ufunc, *arguments: Any) -> Any:
    """NumPy's answer for floats too: that of `math` may differ in the last bit."""
    result = function(*arguments)
    return float(result) if type(arguments[0]) is float else result
