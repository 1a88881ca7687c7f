# SPDX-License-Identifier: Apache-2.0
"""Compiles `deepsim_math._native`; needs Cython, setuptools and a C compiler."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
from Cython.Build import cythonize
from setuptools import Distribution, Extension

from .kernels import header

_FOLDER = Path(__file__).resolve().parent


def build(work: Path) -> Path:
    """Writes the formulas as C, compiles them, and returns the extension module."""
    for name in ("formula.h", "_native.pyx"):
        shutil.copy(_FOLDER / name, work)
    formulas = _FOLDER.parent / "src" / "deepsim_math" / "formulas"
    (work / "kernels.h").write_text(header(formulas), encoding="utf-8")
    # The bits must be Python's: no fused multiply and add, and sine apart from cosine.
    exact = ["-O2", "-ffp-contract=off", "-fno-builtin-sin", "-fno-builtin-cos"]
    exact += ["-Wno-unused-variable"]  # not each formula uses all of its arguments
    extension = Extension(
        "deepsim_math._native",
        [str(work / "_native.pyx")],
        include_dirs=[np.get_include(), str(work)],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
        extra_compile_args=["/O2", "/fp:precise"] if os.name == "nt" else exact,
    )
    modules = cythonize([extension], build_dir=str(work / "c"), quiet=True)
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(work / "lib"), str(work / "temp")
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath("deepsim_math._native"))
