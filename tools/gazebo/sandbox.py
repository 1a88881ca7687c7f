# SPDX-License-Identifier: Apache-2.0
"""The sandbox: namespaces of its own for the network, the mounts and the processes.

gzserver listens on every address whatever it is told, so the sandbox's only network is `lo`. All
that is started inside is below one process, and the kernel ends it together with that process: the
tool never looks for processes to end. Mounts are seen by nobody outside and vanish at the end.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from gazebo import cache
from gazebo.cache import GazeboHostError

# <linux/sched.h>, <linux/prctl.h>, <linux/sockios.h>, <linux/if.h>
_CLONE_NEWNS, _CLONE_NEWPID, _CLONE_NEWNET = 0x00020000, 0x20000000, 0x40000000
_PR_SET_PDEATHSIG = 1
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
"""What programs in the root see; this machine's own variables would lead them astray."""


def run(work: Callable[[], int | None], *, network: bool = False) -> int:
    """Call `work` in a new sandbox and return what it returns, an exit status, or 0 for None.

    A process can do this once. SIGTERM and SIGHUP are passed on to `work`'s process, in which
    they raise SystemExit; if this process is killed, all of the sandbox is.

    Args:
        work: what to do inside.
        network: whether it keeps the machine's network instead of getting an empty one.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    kinds = _CLONE_NEWNS | _CLONE_NEWPID | (0 if network else _CLONE_NEWNET)
    if libc.unshare(kinds):
        reason = os.strerror(ctypes.get_errno())
        raise GazeboHostError(f"the kernel refuses a sandbox (unshare: {reason}): run as root")
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os._exit(_first_process(work, network))
    return _wait(child)


def attach() -> None:
    """Mount what programs in the root need: devices, processes, the clone and its build folder.

    The clone, its build folder and the folder for temporary files have the same path inside the
    root as outside, so that file names mean the same on both sides.
    """
    root = cache.root()
    cache.build().mkdir(parents=True, exist_ok=True)
    _mount("--types", "proc", "proc", str(root / "proc"))
    _mount("--rbind", "/dev", str(root / "dev"))
    _mount("--types", "tmpfs", "tmpfs", str(home()))
    for shared in (tempfile.gettempdir(), cache.CLONE, cache.build()):
        target = root / Path(shared).relative_to("/")
        target.mkdir(parents=True, exist_ok=True)
        _mount("--bind", str(shared), str(target))


def attached() -> bool:
    """Whether this process is in a sandbox in which `attach()` was called."""
    return os.path.ismount(cache.root() / "proc")


def home() -> Path:
    """The home folder of programs in the root; it vanishes with the sandbox."""
    return cache.root() / "root"


def inside(command: Sequence[str], folder: Path | None = None) -> list[str]:
    """The command that runs `command` in the root, in `folder` (else here, if the root has it)."""
    root, here = cache.root(), folder or Path.cwd()
    there = here if (root / here.relative_to("/")).is_dir() else Path("/")
    return ["chroot", str(root), "env", f"--chdir={there}", *command]


def _first_process(work: Callable[[], int | None], network: bool) -> int:
    """Process 1 of the sandbox: when it ends, the kernel ends all others."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        _mount("--make-rprivate", "/")
        _mount("--types", "proc", "proc", "/proc")
        _mount("--types", "tmpfs", "tmpfs", "/dev/shm")
        if not network:
            _start_loopback()
        return work() or 0
    except GazeboHostError as error:
        print(f"tools/gazebo: {error}", file=sys.stderr)
        return 1
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _wait(child: int) -> int:
    def pass_on(number: int, _frame: FrameType | None) -> None:
        os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the child as well
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _start_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh22x", b"lo", 0)
        answer = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request)
        (flags,) = struct.unpack_from("h", answer, 16)
        request = struct.pack("16sh22x", b"lo", flags | _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise GazeboHostError(f"a mount in the sandbox failed: {done.stderr.strip()}")
