# SPDX-License-Identifier: Apache-2.0
"""The Debian 11 root: debootstrap, then Gazebo and ROS by apt. It takes about five minutes, once.

A stamp file beside it names the recipe and is written last, by an atomic rename. A root without
the stamp of today's recipe is thrown away and made anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from gazebo import cache, packages, sandbox
from gazebo.errors import GazeboHostError
from gazebo.mirror import mirror
from gazebo.step import step

# What apt-config says about proxies, dates and certificates, not about kinds of files.
_TRANSPORT = re.compile("Acquire::(?!IndexTargets|Changelogs|CompressionTypes|cdrom)")
_HOSTS = "127.0.0.1\tlocalhost\n::1\tlocalhost\n"
_NO_SERVICES = "#!/bin/sh\nexit 101\n"  # what Debian's packages ask before they start a service


def recipe() -> str:
    """What a root made today consists of; the text of the stamp."""
    return f"{packages.SUITE}: {' '.join(packages.ROOT)}\n"


def is_made() -> bool:
    """Whether there is a whole root, made by today's recipe."""
    stamp = _stamp()
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == recipe()


def make() -> int:
    """Throw away what there is and make the root; to be called in a sandbox with the network.

    Returns:
        0, an exit status.

    Raises:
        GazeboHostError: a step failed; the message has the end of its output.
    """
    root, archive = cache.root(), mirror()
    _stamp().unlink(missing_ok=True)
    _throw_away(root)
    root.mkdir(parents=True)
    print(f"making the Debian 11 root in {root}; takes about 5 minutes and 3 GB", flush=True)
    certificates = ["--include=ca-certificates"] if archive.startswith("https:") else []
    options = ["--variant=minbase", *certificates, packages.SUITE, str(root), archive]
    step("debootstrap", ["debootstrap", *options], {**os.environ, "LC_ALL": "C"})
    _configure(root)
    sandbox.attach()
    proxies = {name: value for name, value in os.environ.items() if name.endswith("_proxy")}
    environment = {**sandbox.ENVIRONMENT, **proxies}
    apt = sandbox.inside(["apt-get", "--yes", "--no-install-recommends"])
    step("package lists", [*apt, "update"], environment)
    step("packages", [*apt, "install", *packages.ROOT], environment)
    step("cleaning up", [*apt, "clean"], environment)
    unfinished = _stamp().with_suffix(".new")
    unfinished.write_text(recipe(), encoding="utf-8")
    unfinished.replace(_stamp())
    return 0


def remove() -> None:
    """Remove the cache folder: the root, and what every clone has built in it.

    Raises:
        GazeboHostError: something is mounted in it.
    """
    _stamp().unlink(missing_ok=True)
    _throw_away(cache.folder())
    print(f"removed {cache.folder()}; packages that apt installed on this machine stay")


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
    """Let apt inside the root work as it does outside."""
    if shutil.which("apt-config"):
        done = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True)
        options = [line for line in done.stdout.splitlines() if _TRANSPORT.match(line)]
        (root / "etc/apt/apt.conf.d/99host").write_text("\n".join(options), encoding="utf-8")
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    (root / "etc/hosts").write_text(_HOSTS, encoding="utf-8")
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text(_NO_SERVICES, encoding="utf-8")
    policy.chmod(0o755)
