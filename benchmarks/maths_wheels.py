# SPDX-License-Identifier: Apache-2.0
"""The maths benchmark on both wheels of deepsim-math, in one process."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from maths_case import Ways, as_quat, checked, peer, pose_row, same
from peers import Case

import deepsim_math

LIBRARY = Path(__file__).parents[1] / "libs" / "deepsim-math"
TEN, MILLION, T = 10, 1_000_000, 0.3
RANDOM = np.random.default_rng(1)
PURE, COMPILED = "pure wheel", "compiled wheel"


def load(compiled: bool) -> Any:
    """Imports deepsim_math anew from a wheel that is built for this; the one in use stays."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder]
        environment = {**os.environ, "DEEPSIM_MATH_COMPILED": "1" if compiled else "0"}
        subprocess.run([*command, str(LIBRARY)], env=environment, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        zipfile.ZipFile(wheel).extractall(folder)
        kept = {name: sys.modules.pop(name) for name in list(sys.modules) if is_ours(name)}
        sys.path.insert(0, folder)
        try:
            return __import__("deepsim_math")
        finally:
            sys.path.remove(folder)
            for name in filter(is_ours, list(sys.modules)):
                del sys.modules[name]
            sys.modules.update(kept)


def is_ours(module: str) -> bool:
    return module.partition(".")[0] == deepsim_math.__name__


def values(wheels: dict[str, Any]) -> Iterator[Case]:
    """One value at a time, beside PyGLM."""
    q, r = RANDOM.normal(size=(2, 4))
    q, r, v = q / np.linalg.norm(q), r / np.linalg.norm(r), RANDOM.normal(size=3)
    product, turn, arc, composition = ({} for _ in range(4))
    for name, wheel in wheels.items():
        a, b, w = wheel.Quaternion(*q), wheel.Quaternion(*r), wheel.Vector3(*v)
        p, s = wheel.Pose(v, q), wheel.Pose(v, r)
        product[name] = (lambda a=a, b=b: a * b, same)
        turn[name] = (lambda a=a, w=w: a.rotate(w), same)
        arc[name] = (lambda a=a, b=b: a.slerp(b, T), same)
        composition[name] = (lambda p=p, s=s: p @ s, pose_row)
    if peer("glm"):
        glm = peer("glm")
        g, h, u = glm.dquat(q[3], *q[:3]), glm.dquat(r[3], *r[:3]), glm.dvec3(*v)
        product["PyGLM (C++)"] = (lambda: g * h, xyzw)
        turn["PyGLM (C++)"] = (lambda: g * u, same)
        arc["PyGLM (C++)"] = (lambda: glm.slerp(g, h, T), xyzw)
    yield checked("both wheels, q * q", product, {"PyGLM (C++)": 2.0}, repeats=2000)
    yield checked("both wheels, rotate", turn, {}, repeats=2000)
    yield checked("both wheels, slerp", arc, {}, repeats=1000)
    yield checked("both wheels, pose @ pose", composition, {}, repeats=1000)


def xyzw(value: Any) -> Any:
    return value.x, value.y, value.z, value.w


def rows(wheels: dict[str, Any], count: int) -> Iterator[Case]:
    """Rows, beside scipy with rotations that it made before: no slower in C.

    Of ten, also the way from rows to rows by the pure wheel, at most three times as long.
    """
    q, r = deepsim_math.quaternions.normalize(RANDOM.normal(size=(2, count, 4)))
    v, euler = RANDOM.normal(size=(count, 3)), RANDOM.uniform(-1.5, 1.5, (count, 3))
    make = peer("scipy.spatial.transform").Rotation if peer("scipy") else None
    a, b = (make.from_quat(x) if make else None for x in (q, r))
    # What is given; scipy with its rotations, and how to read what it returns; from rows to rows.
    tasks: dict[str, tuple[Any, Any, Any, Any]] = {
        "multiply": (
            (q, r), lambda: a * b, as_quat,
            lambda: (make.from_quat(q) * make.from_quat(r)).as_quat(),
        ),
        "rotate": ((q, v), lambda: a.apply(v), same, lambda: make.from_quat(q).apply(v)),
        "inverse": ((q,), lambda: a.inv(), as_quat, lambda: make.from_quat(q).inv().as_quat()),
        "to_euler": (
            (q,), lambda: a.as_euler("xyz"), same, lambda: make.from_quat(q).as_euler("xyz"),
        ),
        "from_euler": (
            (euler,), lambda: make.from_euler("xyz", euler), as_quat,
            lambda: make.from_euler("xyz", euler).as_quat(),
        ),
        "to_matrix": ((q,), lambda: a.as_matrix(), same, lambda: make.from_quat(q).as_matrix()),
        "to_rotation_vector": (
            (q,), lambda: a.as_rotvec(), same, lambda: make.from_quat(q).as_rotvec(),
        ),
        "from_rotation_vector": (
            (v,), lambda: make.from_rotvec(v), as_quat, lambda: make.from_rotvec(v).as_quat(),
        ),
    }  # fmt: skip
    for task in tasks if count <= TEN else ("multiply", "rotate", "to_euler"):
        given, prepared, read, whole = tasks[task]
        ways: Ways = {
            name: (partial(getattr(wheel.quaternions, task), *given), same)
            for name, wheel in wheels.items()
        }
        if make:
            ways["scipy"] = (prepared, read)
        name = f"{count} rows, {task}".replace("000000", " 000 000")
        yield checked(f"both wheels, {name}", ways, {"scipy": 1.0})
        if make and count <= TEN:
            ways = {PURE: ways[PURE], "scipy": (whole, same)}
            name = f"pure wheel, {count} rows in and out, {task}"
            yield checked(name, ways, {"scipy": 3.0})


def cases() -> list[Case]:
    """All tasks; building the compiled wheel needs a C compiler."""
    wheels = {COMPILED: load(True), PURE: load(False)}
    return [*values(wheels), *rows(wheels, TEN), *rows(wheels, MILLION)]
