# SPDX-License-Identifier: Apache-2.0
"""The Debian 11 root, by debootstrap and apt, and what this machine itself needs.

Making the root takes about five minutes, once. A stamp file beside it names the recipe and is
written last, by an atomic rename. A root without the stamp of today's recipe is made anew. All
packages are pinned by the hash of the list of packages, which has theirs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from gazebo import cache, sandbox
from gazebo.cache import GazeboHostError

SUITE = "bullseye"  # the last Debian that has Gazebo 11; its ROS is Noetic
LAST_ARCHIVE = "http://archive.debian.org/debian"  # where a suite goes in the end
PINS = (  # SHA-256 of the suite's last lists of packages: amd64, arm64
    "c974c29a32187129bcd03242961dcdd1561f12e65c80dcfcb067054824225d80",
    "29a803e05ffdf9fbabe7e35d7f26eae4433f1d05301d3ef160a9ee297944a8a5",
)
# For servers, building (the .msg files are in ros-*, which the -dev packages only recommend),
# cameras and checks; without recommended packages.
_PACKAGES = """
    gazebo libgazebo-dev python3-rospy python3-roslaunch python3-rosmaster python3-rosservice
    python3-rostopic python3-rosnode python3-numpy rosbash

    g++ make cmake catkin pkg-config ros-cmake-modules ros-message-generation libroscpp-dev
    libroslib-dev libtf-dev libdynamic-reconfigure-config-init-mutex-dev
    python3-dynamic-reconfigure libtinyxml-dev libxml2-dev

    libstd-msgs-dev libstd-srvs-dev libgeometry-msgs-dev libsensor-msgs-dev libtrajectory-msgs-dev
    libros-rosgraph-msgs-dev ros-std-msgs ros-std-srvs ros-geometry-msgs ros-sensor-msgs
    ros-trajectory-msgs ros-rosgraph-msgs python3-std-msgs python3-std-srvs python3-geometry-msgs
    python3-sensor-msgs python3-trajectory-msgs python3-rosgraph-msgs

    xvfb xauth libgl1-mesa-dri x11-xkb-utils xkb-data
    libgtest-dev googletest clang-format clang-tidy
"""
_TOOLS = ("debootstrap", "debian-archive-keyring")
# What the host's own /usr/bin/python3 needs to talk to the servers with rospy (Debian 12).
_ROSPY = (
    "python3-rospy", "python3-rosgraph-msgs", "python3-std-srvs", "python3-geometry-msgs",
    "python3-trajectory-msgs", "python3-sensor-msgs", "python3-numpy",
)  # fmt: skip
# What apt-config says about proxies, dates and certificates, not about kinds of files.
_TRANSPORT = re.compile("Acquire::(?!IndexTargets|Changelogs|CompressionTypes|cdrom)")
_ARCHIVE = re.compile(r"'((?:https?|file):\S+?)/+dists/(\S+?)/main/binary-")
_LOG_LINES = 12
_REMEDY = "name a mirror of Debian 11 in DEEPSIM_DEBIAN_MIRROR"


def mirror(etc: Path = Path("/etc")) -> str:
    """The address of the Debian archive: `$DEEPSIM_DEBIAN_MIRROR`, else the one apt uses.

    Args:
        etc: the folder with `os-release` and `apt/`.
    """
    chosen = os.environ.get("DEEPSIM_DEBIAN_MIRROR")
    if chosen:
        return chosen
    file = etc / "os-release"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    release = {name: value.strip("\"'") for name, value in re.findall(r"(?m)^(\w+)=(.*)$", text)}
    if release.get("ID") != "debian":
        raise GazeboHostError(f"{release.get('PRETTY_NAME', 'this')} is not Debian: {_REMEDY}")
    command = ["apt-get", "-o", f"Dir::Etc={etc}/apt/", "update", "--print-uris"]
    printed = ""
    if shutil.which("apt-get"):
        printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    sources: list[tuple[str, str]] = _ARCHIVE.findall(printed)
    codename = release.get("VERSION_CODENAME", "")
    updated = [uri for uri, suite in sources if suite == f"{codename}-updates"]
    candidates = [uri for uri, suite in sources if suite == codename]
    if not candidates:
        raise GazeboHostError(f"apt has no source for Debian {codename!r}: {_REMEDY}")
    # Others too call their suites by Debian's names, but do not publish updates for them.
    return next((uri for uri in candidates if uri in updated), candidates[0])


def require() -> None:
    """Make sure that Gazebo can be set up and run here, as far as that can be seen beforehand."""
    if os.geteuid() != 0:
        raise GazeboHostError("Gazebo needs chroot and namespaces: run as root")
    if is_made():
        return
    if not shutil.which("debootstrap") and not shutil.which("apt-get"):
        raise GazeboHostError("debootstrap is missing, and there is no apt-get to install it with")
    mirror()


def missing() -> list[str]:
    """Packages that this machine lacks: debootstrap to make the root with, and rospy."""
    if not shutil.which("apt-get"):
        return []
    wanted = _ROSPY if is_made() else (*_TOOLS, *_ROSPY)
    command = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    installed = done.stdout.splitlines()
    return [name for name in wanted if f"{name} installed" not in installed]


def agree(lacking: Sequence[str], *, agreed: bool) -> None:
    """Say what the setup will install, and ask for consent unless it was given."""
    if lacking:
        print(f"apt-get will install on this machine: {' '.join(lacking)}")
    if not is_made():
        print(f"Debian 11 with Gazebo will be made in {cache.root()}: 3 GB, about 5 minutes")
    sys.stdout.flush()
    if agreed:
        return
    if not sys.stdin.isatty():
        raise GazeboHostError("nothing was installed: agree with `make gazebo YES=1`")
    if input("Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise GazeboHostError("nothing was installed")


def install(names: Sequence[str]) -> None:
    """Install packages on this machine by apt; without rospy where this system has none."""
    logged("package lists", ["apt-get", "update"])
    if subprocess.run(["apt-cache", "show", *_ROSPY], capture_output=True).returncode:
        print("rospy is not among this system's packages; only free-running mode needs it")
        names = [name for name in names if name not in _ROSPY]
    if names:
        logged("packages", ["apt-get", "install", "--yes", "--no-install-recommends", *names])


def recipe() -> str:
    """What a root made today consists of; the text of the stamp."""
    return f"{SUITE}: {' '.join(_PACKAGES.split())}\n"


def is_made() -> bool:
    """Whether there is a whole root, made by today's recipe."""
    stamp = _stamp()
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == recipe()


def make() -> None:
    """Throw away what there is and make the root; to be called in a sandbox with the network."""
    root = cache.root()
    _stamp().unlink(missing_ok=True)
    print(f"making the Debian 11 root in {root}; takes about 5 minutes and 3 GB", flush=True)
    try:
        _bootstrap(root, mirror())
    except GazeboHostError as error:
        print(f"{error}\n  trying {LAST_ARCHIVE}", flush=True)
        _bootstrap(root, LAST_ARCHIVE)
    _configure(root)
    sandbox.attach()
    proxies = {name: value for name, value in os.environ.items() if name.endswith("_proxy")}
    environment = {**sandbox.ENVIRONMENT, **proxies}
    apt = sandbox.inside(["apt-get", "--yes", "--no-install-recommends"])
    logged("package lists", [*apt, "update"], environment)
    check_pins(root)
    logged("packages", [*apt, "install", *_PACKAGES.split()], environment)
    logged("cleaning up", [*apt, "clean"], environment)
    unfinished = _stamp().with_suffix(".new")
    unfinished.write_text(recipe(), encoding="utf-8")
    unfinished.replace(_stamp())


def check_pins(root: Path) -> None:
    """Make sure that apt in the root has the pinned list of packages."""
    releases = [file.read_text("utf-8") for file in root.glob("var/lib/apt/lists/*Release")]
    if not any(pin in text for pin in PINS for text in releases):
        raise GazeboHostError(f"the mirror's Debian 11 is not the pinned one: {_REMEDY}")


def remove() -> None:
    """Remove the cache folder: the root, and what every clone has built in it."""
    _stamp().unlink(missing_ok=True)
    _throw_away(cache.folder())
    print(f"removed {cache.folder()}; packages that apt installed on this machine stay")


def logged(name: str, command: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
    """Run a long command, its output in a log file; print its name and how long it took."""
    log, start = cache.folder() / "setup.log", time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        status = subprocess.run(
            command,
            env={**environment, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status:
        raise GazeboHostError(f"{name} failed; the end of {log}:\n{end_of(log, _LOG_LINES)}")
    print(f"  {name}: {time.monotonic() - start:.0f} s", flush=True)


def end_of(log: Path, lines: int) -> str:
    """The last lines of a log file, indented."""
    text = log.read_text(encoding="utf-8", errors="replace")
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])


def _bootstrap(root: Path, archive: str) -> None:
    _throw_away(root)
    root.mkdir(parents=True)
    certificates = ["--include=ca-certificates"] if archive.startswith("https:") else []
    options = ["--variant=minbase", *certificates, SUITE, str(root), archive]
    logged("debootstrap", ["debootstrap", *options], {**os.environ, "LC_ALL": "C"})


def _stamp() -> Path:
    return cache.folder() / "root.stamp"


def _throw_away(folder: Path) -> None:
    """Remove a folder, unless somebody mounted something there that would be removed with it."""
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        target = Path(line.split()[4])
        if folder in [target, *target.parents]:
            raise GazeboHostError(f"{target} is a mount: umount it first")
    if folder.exists():
        shutil.rmtree(folder)


def _configure(root: Path) -> None:
    """Let apt inside the root work as it does outside, and start no service."""
    if shutil.which("apt-config"):
        done = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True)
        options = [line for line in done.stdout.splitlines() if _TRANSPORT.match(line)]
        (root / "etc/apt/apt.conf.d/99host").write_text("\n".join(options), encoding="utf-8")
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    (root / "etc/hosts").write_text("127.0.0.1\tlocalhost\n::1\tlocalhost\n", encoding="utf-8")
    policy = root / "usr/sbin/policy-rc.d"  # which Debian's packages ask before they start one
    policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
    policy.chmod(0o755)
