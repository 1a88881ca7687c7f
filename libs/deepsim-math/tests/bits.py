# SPDX-License-Identifier: Apache-2.0
"""Prints a digest of the results of every formula: python bits.py [pure].

Arguments are random, and from a list of awkward numbers; errors count with their messages. A NaN
counts as one, whatever its sign.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import partial

import numpy as np

if sys.argv[1:] == ["pure"]:
    sys.modules["deepsim_math._native"] = None  # importing it fails, as in the pure wheel

import deepsim_math
from deepsim_math import Euler, Point, Pose, Quaternion, Twist, Vector3, slerp

AWKWARD = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-9, 1e-160, 1e-308, 5e-324, 1e160, -1e308, np.inf, np.nan]
SIZES = [1, 2, 3, 10, 11, 300, 5000]

BATCHES = {  # the sizes of the last axes of the arguments
    "vectors": {
        "dot": (3, 3),
        "cross": (3, 3),
        "length": (3,),
        "distance": (3, 3),
        "angle_to": (3, 3),
        "normalize": (3,),
        "project": (3, 3),
    },
    "quaternions": {
        "multiply": (4, 4),
        "rotate": (4, 3),
        "inverse_rotate": (4, 3),
        "slerp": (4, 4, 0),
        "inverse": (4,),
        "normalize": (4,),
        "conjugate": (4,),
        "to_euler": (4,),
        "to_matrix": (4,),
        "angle_to": (4, 4),
        "from_euler": (3,),
        "from_axis_angle": (3, 0),
        "look_rotation": (3, 3),
        "from_rotation_vector": (3,),
        "to_rotation_vector": (4,),
    },
    "poses": {
        "compose": (7, 7),
        "relative": (7, 7),
        "interpolate": (7, 7, 0),
        "inverse": (7,),
        "to_matrix": (7,),
        "exp": (6,),
        "log": (7,),
        "transform_points": (7, 3),
        "inverse_transform_points": (7, 3),
        "transform_twists": (7, 6),
        "inverse_transform_twists": (7, 6),
    },
    "twists": {"rotate": (4, 6), "velocity_at": (6, 3)},
}
IN_PLACE = ("multiply", "normalize", "compose", "slerp", "interpolate", "cross")


def values(rng, size):
    """Returns numbers of ordinary sizes, a few of them awkward."""
    row = rng.normal(size=size)
    if rng.random() < 0.5:
        row[rng.random(size) < 0.2] = rng.choice(AWKWARD)
    return row


def scalars(rng):
    """Yields names and calls of methods."""
    q, r = (Quaternion(*values(rng, 4).tolist()) for _ in range(2))
    v, p = Vector3(*values(rng, 3).tolist()), Point(*values(rng, 3).tolist())
    a, b = Pose(p, q), Pose(v, r)
    t, twist = float(values(rng, 1)[0]), Twist(v, values(rng, 3))
    for x, names in (
        (q, "inverse normalized conjugate to_euler to_matrix to_rotation_vector to_axis_angle"),
        (v, "normalized __neg__ __abs__"),
        (a, "inverse to_matrix log"),
    ):
        for name in names.split():
            yield f"{type(x).__name__}.{name}", getattr(x, name)
    yield "Pose.exp", lambda: Pose.exp(twist)
    for name, x, y in (
        *((name, q, r) for name in ("__mul__", "__matmul__", "angle_to", "dot")),
        *((name, q, y) for name in ("rotate",) for y in (v, p, tuple(v))),
        *((name, a, b) for name in ("__matmul__", "relative")),
        *((name, a, p) for name in ("transform_point", "inverse_transform_point")),
        *((name, a, twist) for name in ("transform_twist", "inverse_transform_twist")),
        *((name, v, p) for name in ("cross", "angle_to", "project", "distance", "__add__")),
        *((name, Quaternion, v) for name in ("from_rotation_vector", "look_rotation")),
        *(("from_euler", Quaternion, Euler(*v)), ("velocity_at", twist, p)),
    ):
        kind = getattr(x, "__name__", type(x).__name__)
        yield f"{kind}.{name}", partial(getattr(x, name), y)
    yield "slerp", lambda: slerp(q, r, t)
    yield "Pose.interpolate", lambda: a.interpolate(b, t)
    yield "Quaternion.from_axis_angle", lambda: Quaternion.from_axis_angle(v, t)
    yield "Quaternion.from_matrix", lambda: Quaternion.from_matrix(q.normalized().to_matrix())


def batches(rng, count):
    """Yields names and calls of batch functions, some with one row for many, or with `out`."""
    for module, functions in BATCHES.items():
        for name, sizes in functions.items():
            rows = [values(rng, (count, size) if size else count) for size in sizes]
            kind = rng.random()
            if kind < 0.2:  # one row for all
                rows[-1] = rows[-1][0]
            elif kind < 0.4:  # not contiguous
                rows = [np.repeat(row, 2, axis=0)[::2] for row in rows]
            function = getattr(getattr(deepsim_math, module), name)
            yield f"{module}.{name}", partial(function, *rows)
            if name in IN_PLACE:
                out = rows[0].copy()
                yield f"{module}.{name}, out", partial(function, out, *rows[1:], out=out)


def outcome(call):
    """Returns the bytes of the result, or the error as text."""
    try:
        with np.errstate(all="ignore"):
            result = call()
    except (ValueError, TypeError, ZeroDivisionError, OverflowError) as error:
        return f"{type(error).__name__}: {error}".encode()
    parts = result if isinstance(result, tuple) else (result,)
    array = np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts])
    return np.where(np.isnan(array), np.nan, array).tobytes() + type(result).__name__.encode()


def main():
    """Prints the digests by name."""
    rng, digests = np.random.default_rng(3), {}
    for _ in range(1500):
        for name, call in scalars(rng):
            digests.setdefault(name, hashlib.sha256()).update(outcome(call))
    for count in SIZES * 3:
        for name, call in batches(rng, count):
            digests.setdefault(name, hashlib.sha256()).update(outcome(call))
    print(json.dumps({name: digest.hexdigest() for name, digest in digests.items()}))


if __name__ == "__main__":
    main()
