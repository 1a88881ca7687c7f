# SPDX-License-Identifier: Apache-2.0
"""Reads damaged files, and prints a line of JSON for each: `python tests/damage KIND FIRST LAST`.

``--keep FOLDER`` keeps the damaged files there. The CPU time and the memory of each reading are
measured, so that other programs on the machine do not matter.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import importlib
import json
import os
import shutil
import stat
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from kind import Kind
from mutants import ODD_FILES, damaged

if sys.platform == "linux":
    import resource

GROUPS = ("models", "recordings", "policies", "trees", "settings", "trainings")
SECONDS = 2.0
MEGABYTES = 300.0
_LIMIT = 3 * 2**30  # of further address space, so that no mutant takes the whole machine [bytes]
_HANGS = 30.0  # after which the stack is printed, and the process ends [s]


def kinds_of(group: str) -> dict[str, Kind]:
    """Returns the kinds of a group by name; those whose packages are missing are left out."""
    found: dict[str, Kind] = importlib.import_module(f"of_{group}").KINDS
    return found


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", help=f"GROUP or GROUP.KIND; the groups: {', '.join(GROUPS)}")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    group, _, chosen = given.kinds.partition(".")
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # libraries in C may print
    _limit_memory()
    kinds = {name: kind for name, kind in kinds_of(group).items() if name == (chosen or name)}
    print(json.dumps([f"{group}.{name}" for name in kinds]), file=out)
    for name, kind in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            files = kind.write(Path(folder))
            whole = {file: kind.read(file) for file in files}
            for number in range(given.first, given.last):
                place = {"kind": f"{group}.{name}", "number": number}
                print(json.dumps(place), file=out)
                draw = Random(f"{group}.{name} {number}")
                found = one(kind, draw.choice(files), draw, whole, given.keep)
                print(json.dumps({**place, **found}), file=out)


def one(
    kind: Kind, file: Path, draw: Random, whole: dict[Path, Any], keep: Path | None
) -> dict[str, Any]:
    """Damages a file, reads it and mends it; returns what happened, with ``wrong`` if it is."""
    content, rewritten = file.read_bytes(), False
    try:
        if draw.random() < 0.03 and sys.platform != "win32":
            file.unlink()
            draw.choice(ODD_FILES)(file)
        elif kind.rewrite is not None and draw.random() < 0.4:
            kind.rewrite(file, draw)
            rewritten = True
        else:
            file.write_bytes(damaged(content, draw, text=kind.text))
        if keep is not None and file.is_file():
            keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, keep / file.name)
        return _read(kind, file, whole[file], is_checked=kind.checked and not rewritten)
    finally:
        with contextlib.suppress(FileNotFoundError):
            file.rmdir() if stat.S_ISDIR(file.lstat().st_mode) else file.unlink()
        file.write_bytes(content)


def _read(kind: Kind, file: Path, whole: Any, *, is_checked: bool) -> dict[str, Any]:
    wrong, message = "", ""
    with warnings.catch_warnings(record=True) as warned, _watched() as used:
        warnings.simplefilter("always")
        try:
            value = kind.read(file)
            if is_checked and not _is_part(value, whole):
                wrong = "other values" if not warned else ""
        except kind.errors as error:
            message = str(error)
            if not any(name in message for name in _names(file)):
                wrong = f"{type(error).__name__} does not name the file: {message[:300]}"
        except BaseException as error:
            wrong = "".join(traceback.format_exception(error, limit=-6))[-3000:]
    seconds, megabytes = used
    if not wrong and seconds > SECONDS and not kind.is_program:
        wrong = f"took {seconds:.1f} s"
    if not wrong and megabytes > MEGABYTES:
        wrong = f"took {megabytes:.0f} MB"
    found = {"file": file.name, "message": message[:200], "seconds": seconds, "MB": megabytes}
    return {**found, "wrong": wrong} if wrong else found


def _names(file: Path) -> Iterator[str]:
    """Yields what a message may have: the file, one that names it, or the folder of a dataset."""
    yield from map(str, list(file.parents)[:3])
    yield from (each.name for each in file.parent.iterdir())
    yield os.path.realpath(file)


def _is_part(value: Any, whole: Any) -> bool:
    if isinstance(whole, list):
        return bool(value == whole[: len(value)])
    return bool(value == whole)


@contextlib.contextmanager
def _watched() -> Iterator[list[float]]:
    """Yields a list that gets the CPU time [s] and the additional memory [MB] of the block."""
    faulthandler.dump_traceback_later(_HANGS, exit=True)
    used: list[float] = []
    _forget_peak()
    memory, begin = _resident("VmRSS"), time.process_time()
    try:
        yield used
    finally:
        used += [time.process_time() - begin, max(_resident("VmHWM") - memory, 0.0)]
        faulthandler.cancel_dump_traceback_later()


def _forget_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def _resident(name: str) -> float:
    """Returns the memory of this process, or its peak [MB]; 0 except on Linux."""
    if sys.platform != "linux":
        return 0.0
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition(f"{name}:")[2].split()[0]) / 1000


def _limit_memory() -> None:
    if sys.platform == "linux":
        size = int(1000 * _resident("VmSize")) * 1024 + _LIMIT
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
