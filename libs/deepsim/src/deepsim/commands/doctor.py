# SPDX-License-Identifier: Apache-2.0
"""`deepsim doctor`: examines this machine, and shows how to install missing parts."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import chain
from typing import Literal

import typer
from rich.console import Console

from deepsim.output import fields, print_json, say
from deepsim_mujoco.rendering import GlUnavailableError

from .options import AsJson

Outcome = Literal["ok", "missing", "broken"]
_PATIENCE = 3.0  # the time to wait for an answer [s]
_INSTALL = "pip install --find-links dist"  # where `make wheels` writes, until there is a release
_LOWEST_PYTHON = (3, 10)
_PORTS = {
    3003: "environments served by UDE",
    11311: "a ROS master",
    11345: "Gazebo's own master",
}
# Draws with OpenGL in a separate process, so that a crash of the driver does not end this one.
_PICTURE = "from deepsim_mujoco.rendering import open_camera; open_camera('gl')"
# Starts warp in a separate process, which prints to the terminal.
_GPU = "import warp; print('GPUS', *(device.name for device in warp.get_cuda_devices()))"
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([\w,.-]+)\])?\s*(?:\(?==\s*([\w.]+)\)?)?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w.-]+)['\"]")


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one examination.

    Attributes:
        name: The examined object.
        outcome: ``"ok"``; ``"missing"`` if the object is absent but optional; ``"broken"`` if
            DeepSim needs it.
        found: The state of the object.
        remedy: A command that installs or repairs the object, or an empty string.
    """

    name: str
    outcome: Outcome
    found: str
    remedy: str = ""


def own_versions() -> dict[str, str]:
    """Returns the installed versions of deepsim and its libraries, by package name."""
    own = [need.name for need in _requirements("deepsim") if need.pin]
    found = {package: _version(package) for package in ("deepsim", *own)}
    return {package: version for package, version in found.items() if version is not None}


def doctor(as_json: AsJson = False) -> None:
    """Examines this machine for software that DeepSim can use.

    It checks versions, rendering, ROS, Gazebo, ports and extras. The exit status is 1 only if
    something that DeepSim needs is broken.
    """
    needed = [_python(), *_packages()]
    broken = [finding for finding in needed if finding.outcome == "broken"]
    optional = chain([_pictures()], _gpu(), _gazebo(), _ports(), _extras())
    if as_json:
        print_json([asdict(finding) for finding in (*needed, *optional)])
    else:
        _show(Console(file=sys.stdout), needed, broken, list(optional))
    if broken:
        raise typer.Exit(1)


def _show(
    console: Console, needed: Sequence[Finding], broken: Sequence[Finding], more: Sequence[Finding]
) -> None:
    for finding in broken:
        say(console, f"{finding.name}: {finding.found}; type: {finding.remedy}", "broken")
    if not broken:
        say(
            console,
            f"all that you need is there: DeepSim {_version('deepsim')}, its "
            f"{len(needed) - 1} packages, and Python {needed[0].found}",
            "ok",
        )
    there = [finding for finding in more if finding.outcome == "ok"]
    say(console, "\noptional, and there:")
    extras = [finding.name for finding in there if "[" in finding.name]
    rows = [(finding.name, finding.found) for finding in there if "[" not in finding.name]
    console.print(fields([*rows, ("extras", extras)] if extras else rows))
    missing: dict[str, Finding] = {}
    for finding in more:
        if finding.outcome != "ok":  # A library's extra often lacks what deepsim's own does.
            missing.setdefault(finding.found, finding)
    if missing:
        say(console, "\noptional, and missing; to get it, type:")
        console.print(fields([(each.name, each.remedy or each.found) for each in missing.values()]))


def _python() -> Finding:
    found = f"{sys.version.split()[0]}, {sys.executable}"
    if sys.version_info >= _LOWEST_PYTHON:
        return Finding("Python", "ok", found)
    lowest = ".".join(map(str, _LOWEST_PYTHON))
    return Finding("Python", "broken", found, f"python{lowest} -m venv .venv")


def _packages() -> Iterator[Finding]:
    """Examines what deepsim, which pins its libraries to exact versions, and these require."""
    needs: dict[str, _Requirement] = {}
    for package in ("deepsim", *own_versions()):
        for need in _requirements(package):
            if need.extra is None:
                needs.setdefault(need.name, need)
    for need in needs.values():
        found = _version(need.name)
        wanted = f"{need.name}=={need.pin}" if need.pin else need.name
        if found is None:
            yield Finding(need.name, "broken", "is not installed", f"{_INSTALL} '{wanted}'")
        elif need.pin and found != need.pin:
            state = f"{found}, but deepsim {_version('deepsim')} goes with {need.pin}"
            yield Finding(need.name, "broken", state, f"{_INSTALL} '{wanted}'")
        else:
            yield Finding(need.name, "ok", found)


def _pictures() -> Finding:
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PICTURE], capture_output=True, encoding="utf-8", timeout=60
        )
    except subprocess.TimeoutExpired:
        return Finding("pictures", "missing", "OpenGL gives no answer; rays are cast instead")
    if done.returncode == 0:
        return Finding("pictures", "ok", "by OpenGL, without a display")
    reason = done.stderr.rpartition("GlUnavailableError: ")[2].strip()
    state = f"by cast rays, matt and without textures: {reason or f'exit code {done.returncode}'}"
    return Finding("pictures", "missing", state, GlUnavailableError(reason).remedy)


def _gpu() -> Iterator[Finding]:
    """Examines the GPUs of MuJoCo Warp; without deepsim-warp, `_extras` names it."""
    if _version("deepsim-warp") is None:
        return
    try:
        done = subprocess.run(
            [sys.executable, "-c", _GPU], capture_output=True, encoding="utf-8", timeout=60
        )
    except subprocess.TimeoutExpired:
        yield Finding("GPU", "missing", "warp gives no answer")
        return
    names = done.stdout.rpartition("GPUS")[2].strip()
    if done.returncode:
        state = done.stderr.strip().rpartition("\n")[2]
        yield Finding("GPU", "missing", f"warp does not start: {state}")
    elif names:
        yield Finding("GPU", "ok", f"{names}, for --backend warp")
    else:
        yield Finding(
            "GPU", "missing", "warp finds none, so --backend warp steps on its CPU device"
        )


def _gazebo() -> Iterator[Finding]:
    try:
        from deepsim_gazebo.servers.opening import examine  # noqa: PLC0415 (of POSIX systems)
    except ImportError as error:
        yield Finding("Gazebo", "missing", f"does not run here: {error}")
        return
    for each in examine(_PATIENCE):
        yield Finding(*each)


def _ports() -> Iterator[Finding]:
    """Examines ports of this host; a port in use is not a fault."""
    for port, who in _PORTS.items():
        state = "in use" if _is_listening(port) else "free"
        yield Finding(f"port {port}", "ok", f"{state}, where {who} would listen")


def _extras() -> Iterator[Finding]:
    """Examines the extras of deepsim and its libraries."""
    own = dict.fromkeys(need.name for need in _requirements("deepsim") if need.pin)
    for package in ("deepsim", *own):
        wanted: dict[str, list[str]] = {}
        for need in _requirements(package):
            if need.extra is not None:
                wanted.setdefault(need.extra, []).extend(_with_own_extras(need))
        for extra, names in wanted.items():
            lacking = [name for name in names if _version(name) is None]
            what = f"{package}[{extra}]"
            if lacking:
                state = f"lacks {', '.join(lacking)}"
                yield Finding(what, "missing", state, f"{_INSTALL} '{what}'")
            else:
                yield Finding(what, "ok", ", ".join(f"{name} {_version(name)}" for name in names))


@dataclass(frozen=True, slots=True)
class _Requirement:
    name: str
    extras: tuple[str, ...]
    """Extras of the required package."""
    pin: str | None
    """The only accepted version, or None."""
    extra: str | None
    """The requiring package's extra to which this requirement belongs, or None."""


def _requirements(package: str) -> Iterator[_Requirement]:
    try:
        texts = requires(package) or []
    except PackageNotFoundError:
        return
    for text in texts:
        need, _, marker = text.partition(";")
        match, extra = _REQUIREMENT.match(need.strip()), _EXTRA.search(marker)
        if match:
            own = tuple(match[2].split(",")) if match[2] else ()
            yield _Requirement(match[1], own, match[3], extra[1] if extra else None)


def _with_own_extras(need: _Requirement) -> list[str]:
    """Returns a required package and the packages that its requested extras require."""
    more = [it.name for it in _requirements(need.name) if it.extra in need.extras]
    return [need.name, *more]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _is_listening(port: int) -> bool:
    try:
        with socket.create_connection(("localhost", port), timeout=_PATIENCE):
            return True
    except OSError:
        return False
