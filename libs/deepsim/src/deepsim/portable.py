# SPDX-License-Identifier: Apache-2.0
"""Runs programs so that every x86-64 processor under Linux computes the same bits.

    python -m deepsim.portable PROGRAM.py [ARGUMENTS]
    python -m deepsim.portable -m MODULE [ARGUMENTS]

NumPy, OpenBLAS, the C library and PyTorch choose other code on another processor, whose sums and
sines differ in the last bit, and a match of robots that goes on from there is another one. The
settings here name the same code for all; they act on libraries that are loaded after them, so that
a program is started anew with them. The `deepsim` command does this by itself, unless
``DEEPSIM_PORTABLE=0``.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

SWITCH = "DEEPSIM_PORTABLE"
"""Variable that is ``1`` in programs with the settings, and ``0`` to run the command without."""
_NUMPY = "NPY_DISABLE_CPU_FEATURES"
_GLIBC = ("AVX2", "FMA", "FMA4", "AVX512F", "AVX512VL")
_FIXED = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "1",  # how a sum is split among threads depends on their number
    "MKL_CBWR": "COMPATIBLE",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    SWITCH: "1",
}


def settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables of an environment with which programs are portable.

    Raises:
        RuntimeError: There are no such settings, as this is not Linux on x86-64.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise RuntimeError(
            f"the same bits on every processor are for Linux on x86-64, not {platform.platform()}"
        )
    # Names that NumPy does not know, or that this processor lacks, would be warned of. What was
    # switched off before this process began does not count among its features, and stays off.
    package = "numpy._core" if find_spec("numpy._core") else "numpy.core"
    cpu = import_module(f"{package}._multiarray_umath")
    before = re.split(r"[\s,]+", environment.get(_NUMPY, ""))
    known = [name for name in cpu.__cpu_dispatch__ if cpu.__cpu_features__.get(name)]
    off = " ".join([*known, *(name for name in before if name and name not in known)])
    names = ",".join(f"-{name},-{name}_Usable" for name in _GLIBC)  # before and since glibc 2.33
    given = environment.get("GLIBC_TUNABLES", "").split(":")
    tunables = [each for each in given if each and not each.startswith("glibc.cpu.hwcaps=")]
    return {
        **environment,
        **_FIXED,
        _NUMPY: off,
        "GLIBC_TUNABLES": ":".join([*tunables, f"glibc.cpu.hwcaps={names}"]),
    }


def require() -> None:
    """Does nothing in a program that was started with the settings.

    Raises:
        RuntimeError: It was not; the message says how to start it.
    """
    if os.environ.get(SWITCH) != "1":
        raise RuntimeError(
            f"{sys.argv[0]} runs with the code for this processor: NumPy is loaded, so that it is "
            f"too late to change it; start it by `python -m deepsim.portable {sys.argv[0]}`"
        )


def restart() -> None:
    """Starts this command again with the settings, unless it has them or there are none."""
    if SWITCH in os.environ or sys.platform != "linux" or platform.machine() != "x86_64":
        return
    if sys.executable:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], settings(os.environ))


def main() -> None:
    """Runs ``python -m deepsim.portable``."""
    if len(sys.argv) < 2:
        sys.exit("name a program: python -m deepsim.portable PROGRAM.py, or -m MODULE")
    try:
        environment = settings(os.environ)
    except RuntimeError as error:
        sys.exit(str(error))
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
