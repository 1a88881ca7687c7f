# SPDX-License-Identifier: Apache-2.0
"""Arrays of angles [rad]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._blocks import functions_of, run
from .formulas.elementwise import TURN, fmod, where

if TYPE_CHECKING:
    from ._typing import F, Floats, NDArray


def __dir__() -> list[str]:
    return functions_of(globals())


def wrap(angle: Floats[F]) -> NDArray[F]:
    """Returns angles of any shape, wrapped to (-pi, pi]."""
    return run(_principal, (angle,), (0,), 0)


def lerp(a: Floats[F], b: Floats[F], t: Floats[F]) -> NDArray[F]:
    """Interpolates from `a` (t = 0) to `b` (t = 1) along the shorter arc; shapes broadcast.

    The result is not wrapped, so that it is continuous in t: at t = 1 it is b or b plus whole
    turns. Between opposite angles it turns in the positive direction.
    """
    return run(_lerp, (a, b, t), (0, 0, 0), 0)


def _lerp(a: Any, b: Any, t: Any) -> Any:
    return a + t * _principal(b - a)


def _principal(angle: Any) -> Any:
    # fmod and the one subtraction are exact, so the result equals that of math.remainder.
    rest = fmod(angle, TURN)
    rest = where(rest > math.pi, rest - TURN, rest)
    return where(rest <= -math.pi, rest + TURN, rest)
