#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Install each library alone from its wheel into an empty environment and import it there.

    python tools/check_wheels.py [--root FOLDER] [--dist FOLDER] [--python COMMAND] [LIBRARY ...]

Nothing is fetched during an installation: our wheels come from dist/ (tools/build.py), those of
others from build/wheelhouse, which is filled once for each set of requirements.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from allowed import ALLOWED
from libraries import ROOT, UMBRELLA, Library, Requirement, normalise, read_libraries

# Runs in the empty environment: imports the module, then lists what is installed there.
_PROBE = """
import importlib, importlib.metadata, json, sys
importlib.import_module(sys.argv[1])
installed = importlib.metadata.distributions()
print(json.dumps({found.metadata["Name"]: found.requires or [] for found in installed}))
"""


class WheelError(Exception):
    """A library that does not install alone, brings too much along, or cannot be imported."""


def python_version(python: str) -> str:
    """The minor version of an interpreter, `"3.8"`."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return _run([python, "-c", code], f"cannot run {python}").strip()


def runs_on(library: Library, version: str) -> bool:
    """Whether the library's requires-python admits the Python of that version."""
    return Requirement(f"python{library.table['project']['requires-python']}").admits(version)


def fill_wheelhouse(folder: Path, libraries: dict[str, Library], version: str) -> None:
    """Download what the libraries need from others into `folder`, as wheels for Python `version`.

    A folder that was filled for the same requirements before is left as it is.
    """
    needs = {
        need.text
        for library in libraries.values()
        for need in library.dependencies
        if need.name not in libraries
    }
    wanted, label = "\n".join(sorted(needs)), folder / "requirements.txt"
    if label.is_file() and label.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if needs:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder)]
        pip += ["--only-binary", ":all:", "--python-version", version]
        _run([*pip, *sorted(needs)], f"cannot download the wheels for Python {version}")
    label.write_text(wanted, encoding="utf-8")  # last, so that a broken download is repeated


def check(library: Library, dist: Path, wheelhouse: Path, python: str) -> list[str]:
    """Install the wheel of `library` alone, import it; returns what came along, sorted by name.

    Raises:
        WheelError: with what went wrong, in one or a few lines.
    """
    with tempfile.TemporaryDirectory(prefix="deepsim-wheel-") as folder:
        _run([python, "-m", "venv", "--without-pip", folder], "cannot make an environment")
        inside = str(Path(folder, "bin", "python"))
        sources = ["--no-index", "--find-links", str(dist), "--find-links", str(wheelhouse)]
        wanted = f"{library.name}=={library.version}"
        _run([*_installer(inside), *sources, wanted], f"{wanted} does not install alone")
        answer = _run(
            [inside, "-I", "-c", _PROBE, library.module], f"cannot import {library.module}"
        )
    installed = {
        normalise(name): [Requirement(line) for line in lines]
        for name, lines in json.loads(answer).items()
    }
    _check_declarations(library, installed[library.name])
    _check_company(library, installed)
    return sorted(installed.keys() - {library.name})


def _check_declarations(library: Library, in_wheel: list[Requirement]) -> None:
    """The wheel declares what pyproject.toml declares, range for range."""
    found = {(need.name, frozenset(need.clauses)) for need in in_wheel if not need.only_for_extra}
    wanted = {(need.name, frozenset(need.clauses)) for need in library.dependencies}
    if found != wanted:
        lines = ", ".join(need.text for need in in_wheel) or "nothing"
        raise WheelError(f"{library.name}: the wheel declares {lines}; pyproject.toml differs")


def _check_company(library: Library, installed: dict[str, list[Requirement]]) -> None:
    """Everything installed was asked for, and of ours only what the design's table admits."""
    strangers = installed.keys() - reachable(library.name, installed)
    if strangers:
        raise WheelError(f"{library.name}: nothing declares {', '.join(sorted(strangers))}")
    if library.name == UMBRELLA:
        return
    siblings = {name for name in installed if name in ALLOWED} - {library.name}
    forbidden = siblings - allowed_siblings(library.name)
    if forbidden:
        raise WheelError(f"{library.name}: brings {', '.join(sorted(forbidden))} along")


def reachable(name: str, installed: dict[str, list[Requirement]]) -> set[str]:
    """The distributions that an installation of `name` asks for, directly or through others."""
    seen: set[tuple[str, str | None]] = set()
    todo: list[tuple[str, str | None]] = [(name, None)]
    while todo:
        step = todo.pop()
        if step in seen:
            continue
        seen.add(step)
        distribution, extra = step
        for need in installed.get(distribution, []):
            if need.only_for_extra in {None, extra}:
                todo += [(need.name, None), *((need.name, wanted) for wanted in need.extras)]
    return {distribution for distribution, _ in seen}


def allowed_siblings(name: str) -> set[str]:
    """Our libraries that may come along with `name`: the closure of tools/allowed.py."""
    direct = {need for need in ALLOWED[name] if need in ALLOWED}
    return direct.union(*(allowed_siblings(need) for need in direct))


def _installer(python: str) -> list[str]:
    """The command that installs into the environment of `python`; uv is tenfold faster than pip."""
    uv = Path(sys.executable).with_name("uv")
    if uv.exists():
        # uv keeps what it once unpacked from a path, even when a new build now lies there.
        fresh = [f"--refresh-package={name}" for name in (UMBRELLA, *ALLOWED)]
        return [str(uv), "pip", "install", "--no-config", "--python", python, *fresh]
    return [sys.executable, "-m", "pip", "--isolated", "--python", python, "install"]


def _run(command: list[str], complaint: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise WheelError(f"{complaint}: {error}") from error
    if done.returncode:
        raise WheelError(f"{complaint}:\n{done.stderr.strip()}")
    return done.stdout


def main(arguments: list[str] | None = None) -> int:
    """Check all libraries, or those named, and print one line each; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to check")
    parser.add_argument("--dist", type=Path, help="where our wheels are; else dist/ in the root")
    parser.add_argument("--python", default=sys.executable, help="the Python to install into")
    parser.add_argument("names", nargs="*", metavar="LIBRARY", help="else all for that Python")
    options = parser.parse_args(arguments)
    root, dist = options.root.resolve(), options.dist or options.root / "dist"
    try:
        version = python_version(options.python)
        libraries = {
            name: library
            for name, library in read_libraries(root).items()
            if runs_on(library, version)
        }
        unknown = set(options.names) - libraries.keys()
        if unknown:
            known = ", ".join(libraries)
            raise WheelError(f"no {', '.join(unknown)} for Python {version}; there are: {known}")
        wheelhouse = root / "build" / "wheelhouse" / version
        fill_wheelhouse(wheelhouse, libraries, version)
    except WheelError as error:
        print(error)
        return 1
    failures = 0
    names = options.names or list(libraries)
    for name in names:
        try:
            company = check(libraries[name], dist, wheelhouse, options.python)
        except WheelError as error:
            failures += 1
            print(f"FAIL  {error}")
        else:
            print(f"ok    {name} on Python {version} brings {', '.join(company) or 'nothing'}")
    print(f"{len(names)} wheels installed alone on Python {version}, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
