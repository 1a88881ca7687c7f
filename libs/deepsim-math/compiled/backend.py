# SPDX-License-Identifier: Apache-2.0
"""The hooks of PEP 517: those of flit, but for wheels.

The environment variable DEEPSIM_MATH_COMPILED chooses the wheel: unset, the pure one for all
platforms; `1`, one with `deepsim_math._native`, for this Python and platform; `auto`, that one
where there is a C compiler, else the pure one, with a line that says so.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

from flit_core import buildapi
from flit_core.buildapi import (  # noqa: F401 - hooks that stay as they are
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
)

_NEEDS = ["Cython>=3.0.11,<4", "setuptools>=61"]
_NUMPY = ["numpy>=2; python_version >= '3.9'", "numpy>=1.22.4; python_version < '3.9'"]


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Returns what the chosen wheel needs."""
    needs: list[str] = buildapi.get_requires_for_build_wheel(config_settings)
    return [*needs, *_NEEDS, *_NUMPY] if _wanted() else needs


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None
) -> str:
    """Builds the chosen wheel; returns its file name."""
    wanted = _wanted()
    with tempfile.TemporaryDirectory() as work:
        pure = Path(work, buildapi.build_wheel(work, config_settings, metadata_directory))
        name = _platform_name(pure.name) if wanted else pure.name
        target = Path(wheel_directory, name)
        if wanted:
            extension = import_module(".extension", __package__)  # of what flit does without
            _add(pure, extension.build(Path(work)), target)
        else:
            shutil.copy(pure, target)
    return name


def _wanted() -> bool:
    choice = os.environ.get("DEEPSIM_MATH_COMPILED", "")
    if choice not in ("", "0", "1", "auto"):
        raise ValueError(f"DEEPSIM_MATH_COMPILED must be 0, 1 or auto, got {choice!r}")
    command = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if choice == "auto" and not shutil.which(os.environ.get("CC", command)):
        print(f"deepsim-math: no C compiler {command!r} here, so the wheel is the pure one")
        return False
    return choice in ("1", "auto")


def _platform_name(name: str) -> str:
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    abi = python + getattr(sys, "abiflags", "")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return name.replace("py3-none-any", f"{python}-{abi}-{platform}")


def _add(pure: Path, module: Path, target: Path) -> None:
    """Copies a wheel with a module more, and with the tag of its new name."""
    tag = "-".join(target.name[: -len(".whl")].split("-")[-3:])
    with zipfile.ZipFile(pure) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        record = next(name for name in given.namelist() if name.endswith(".dist-info/RECORD"))
        files = {name: given.read(name) for name in given.namelist() if name != record}
        files[f"deepsim_math/{module.name}"] = module.read_bytes()
        label = record.replace("RECORD", "WHEEL")
        text = files[label].decode().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        files[label] = text.replace("Tag: py3-none-any", f"Tag: {tag}").encode()
        lines = []
        for name, data in files.items():
            made.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        made.writestr(record, "".join([*lines, f"{record},,\n"]))
