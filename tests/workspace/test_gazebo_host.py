# SPDX-License-Identifier: Apache-2.0
"""tools/gazebo finds its mirror, knows its root, keeps to its sandbox, and says no in one line."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
MIRROR = "http://mirror.example/debian"

ONE_LINE = f"""\
# deb http://old.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb https://other.example/apt bookworm stable
deb cdrom:[Debian]/ bookworm main
deb [arch=amd64 signed-by=/key.gpg] https://third.example/debian bookworm main  # a stranger
deb [ trusted=yes ] {MIRROR}/ bookworm main contrib
deb {MIRROR} bookworm-updates main
"""
DEB822 = f"""\
Types: deb
URIs: https://third.example/debian
Suites: bookworm
Components: main

# the mirror
Types: deb deb-src
URIs: {MIRROR}/
Suites: bookworm bookworm-updates
Components: main
 contrib
Signed-By: /key.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
"""
DISABLED = DEB822.replace("Types: deb", "Enabled: no\nTypes: deb")
DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_CODENAME=bookworm\n'
UBUNTU = 'PRETTY_NAME="Ubuntu 22.04"\nID=ubuntu\nVERSION_CODENAME=jammy\n'

needs_apt = pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt reads its sources")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may make namespaces")


@pytest.fixture
def host(monkeypatch, tmp_path):
    """Imports a module of tools/gazebo, with a cache folder and an environment of its own."""
    monkeypatch.syspath_prepend(TOOLS)
    monkeypatch.setenv("DEEPSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DEEPSIM_DEBIAN_MIRROR", raising=False)
    return lambda name: importlib.import_module(f"gazebo.{name}")


@pytest.fixture
def etc(tmp_path):
    """Writes a folder like /etc from the text of a few files."""

    def write(release: str = DEBIAN, **sources: str) -> Path:
        parts = tmp_path / "etc/apt/sources.list.d"
        parts.mkdir(parents=True)
        (tmp_path / "etc/os-release").write_text(release)
        for kind, text in sources.items():
            name = {"list": "../sources.list", "part": "a.list", "deb822": "debian.sources"}[kind]
            (parts / name).write_text(text)
        return tmp_path / "etc"

    return write


def in_new_process(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a Python of its own that finds the package `gazebo`."""
    code = f"import os, sys; sys.path.insert(0, {str(TOOLS)!r})\n{code}"
    environment = {**os.environ, **variables}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )


@needs_apt
@pytest.mark.parametrize(
    "sources",
    [
        {"list": ONE_LINE},
        {"part": ONE_LINE},
        {"deb822": DEB822},
        {"list": "", "deb822": DEB822},
        {"list": ONE_LINE, "deb822": DISABLED},
    ],
)
def test_the_mirror_is_the_one_that_apt_uses(host, etc, sources):
    """The archive with updates wins over strangers that use Debian's names for their suites."""
    assert host("debian").mirror(etc(**sources)) == MIRROR


@needs_apt
def test_a_mirror_that_publishes_no_updates_will_do(host, etc):
    """A minimal list of sources names the archive alone."""
    assert host("debian").mirror(etc(list=f"deb {MIRROR} bookworm main\n")) == MIRROR


def test_a_mirror_named_by_hand_wins(host, etc, monkeypatch):
    """DEEPSIM_DEBIAN_MIRROR is not even compared with apt's sources."""
    monkeypatch.setenv("DEEPSIM_DEBIAN_MIRROR", "http://mine.example/debian")
    assert host("debian").mirror(etc(UBUNTU)) == "http://mine.example/debian"


@pytest.mark.parametrize(
    ("release", "sources", "complaint"),
    [
        (UBUNTU, ONE_LINE, "Ubuntu 22.04 is not Debian"),
        ("", "", "this is not Debian"),
        (DEBIAN, "", "apt has no source for Debian 'bookworm'"),
        (DEBIAN, ONE_LINE.replace("bookworm", "trixie"), "no source for Debian 'bookworm'"),
    ],
)
def test_no_mirror_says_why_and_what_to_do(host, etc, release, sources, complaint):
    """The remedy is the variable that names one."""
    with pytest.raises(host("cache").GazeboHostError, match=complaint) as caught:
        host("debian").mirror(etc(release, list=sources))
    assert str(caught.value).endswith("name a mirror of Debian 11 in DEEPSIM_DEBIAN_MIRROR")


def test_a_root_counts_only_with_the_stamp_of_its_recipe(host):
    """A half-made root has no stamp, an old one has another."""
    root, stamp = host("debian"), host("cache").folder() / "root.stamp"
    host("cache").root().mkdir(parents=True)
    assert not root.is_made()
    stamp.write_text(root.recipe())
    assert root.is_made()
    stamp.write_text(root.recipe().replace(" gazebo ", " "))
    assert not root.is_made()


def test_a_root_of_another_list_of_packages_is_refused(host, tmp_path):
    """It has the hash of each package; a release names it by its own."""
    debian = host("debian")
    lists = tmp_path / "var/lib/apt/lists"
    lists.mkdir(parents=True)
    for file in ("mirror_dists_bullseye_InRelease", "mirror_dists_bullseye_Release"):
        (lists / file).write_text(f" {'0' * 64} 45561367 main/binary-amd64/Packages\n")
        with pytest.raises(host("cache").GazeboHostError, match="not the pinned one"):
            debian.check_pins(tmp_path)
    (lists / file).write_text(f" {debian.PINS[0]} 45561367 main/binary-amd64/Packages\n")
    debian.check_pins(tmp_path)


def test_the_cache_is_outside_of_the_clone(host, monkeypatch, tmp_path):
    """DEEPSIM_CACHE, else XDG_CACHE_HOME/deepsim, else ~/.cache/deepsim."""
    cache = host("cache")
    assert cache.root() == tmp_path / "cache/gazebo11/root"
    monkeypatch.delenv("DEEPSIM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.root() == tmp_path / "xdg/deepsim/gazebo11/root"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.root() == tmp_path / ".cache/deepsim/gazebo11/root"


def test_each_clone_builds_in_a_folder_of_its_own(host):
    """Clones of one name in different places do not share what they built."""
    build = host("cache").build
    assert build(Path("/a/main")).name.startswith("main-")
    assert build(Path("/a/main")) != build(Path("/b/main"))


def test_a_lock_waits_for_its_holder_and_shared_ones_do_not(host, tmp_path, capfd):
    """The second of two runs says what it waits for, once, and goes on when the first ends."""
    lock, file = host("cache"), tmp_path / "lock"
    with (
        lock.locked(file, shared=True, waits_for="a"),
        lock.locked(file, shared=True, waits_for="b"),
    ):
        assert capfd.readouterr().err == ""
    code = (
        "from gazebo.cache import locked\n"
        f"with locked(__import__('pathlib').Path({str(file)!r}), waits_for='it reads'): pass"
    )
    with lock.locked(file, waits_for="it reads"):
        second = subprocess.Popen(
            [sys.executable, "-c", code],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TOOLS)},
        )
        assert second.stderr is not None
        assert second.stderr.readline() == "waiting for another run of tools/gazebo: it reads\n"
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(0.3)
    assert second.communicate(timeout=10)[1] == ""
    assert second.returncode == 0


def test_without_arguments_it_explains_itself(run_tool):
    """Plain `python tools/gazebo` changes nothing; it says what there is."""
    done = run_tool("gazebo")
    assert done.returncode == 0
    assert "python tools/gazebo setup && python tools/gazebo build" in done.stdout


@pytest.mark.parametrize("command", ["check", "setup", "build", "test", "run -- true"])
def test_whoever_is_not_root_is_refused_in_one_line(command):
    """Every command needs rights that only root has."""
    code = (
        "from gazebo.__main__ import main\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        f"sys.exit(main({command.split()}))"
    )
    done = in_new_process(code)
    assert done.returncode == 1
    assert done.stderr == "tools/gazebo: Gazebo needs chroot and namespaces: run as root\n"


@needs_root
def test_no_debootstrap_and_no_apt_is_refused_in_one_line(tmp_path):
    """There is nothing that the root could be made with."""
    code = "from gazebo.__main__ import main; sys.exit(main(['setup']))"
    done = in_new_process(code, PATH=str(tmp_path), DEEPSIM_CACHE=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == (
        "tools/gazebo: debootstrap is missing, and there is no apt-get to install it with\n"
    )


@needs_root
@pytest.mark.parametrize("command", ["check", "build", "test", "run -- true"])
def test_what_needs_the_root_says_how_to_make_it(tmp_path, command):
    """Nothing is downloaded by the way."""
    code = f"from gazebo.__main__ import main; sys.exit(main({command.split()}))"
    mirror = {"DEEPSIM_DEBIAN_MIRROR": MIRROR, "PATH": f"{os.environ['PATH']}:{tmp_path}"}
    (tmp_path / "debootstrap").touch(mode=0o755)
    done = in_new_process(code, DEEPSIM_CACHE=str(tmp_path), **mirror)
    assert done.returncode == 1
    assert done.stderr == ("tools/gazebo: there is no Debian 11 root yet: make gazebo\n")


@needs_root
def test_setup_says_first_what_it_installs_and_asks(tmp_path):
    """Without a terminal nothing happens, and the message names the answer."""
    code = "from gazebo.__main__ import main; sys.exit(main(['setup']))"
    (tmp_path / "debootstrap").touch(mode=0o755)
    mirror = {"DEEPSIM_DEBIAN_MIRROR": MIRROR, "PATH": str(tmp_path)}
    done = in_new_process(code, DEEPSIM_CACHE=str(tmp_path), **mirror)
    assert done.returncode == 1
    assert "Debian 11 with Gazebo will be made in" in done.stdout
    assert done.stderr == "tools/gazebo: nothing was installed: agree with `make gazebo YES=1`\n"
    assert not (tmp_path / "gazebo11/root").exists()


@needs_root
def test_clean_removes_the_root_and_all_builds(host, tmp_path):
    """Other folders of the cache stay."""
    cache = host("cache")
    cache.root().mkdir(parents=True)
    cache.build().mkdir(parents=True)
    (cache.folder().parent / "other").touch()
    code = "from gazebo.__main__ import main; sys.exit(main(['clean']))"
    done = in_new_process(
        code, DEEPSIM_CACHE=str(cache.folder().parent), DEEPSIM_DEBIAN_MIRROR=MIRROR
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(cache.folder().parent) == ["other"]


def test_servers_start_in_a_sandbox_only(host):
    """A gzserver listens on all addresses, so it must not start on the machine's network."""
    with pytest.raises(host("cache").GazeboHostError, match="starts in a sandbox only"):
        host("servers").GazeboServer()


def sandboxed(work: str) -> str:
    """Code that calls `work`, some statements, in a sandbox; ends with what they return."""
    lines = "\n    ".join(work.splitlines())
    return f"from gazebo import sandbox\ndef work():\n    {lines}\nsys.exit(sandbox.run(work))"


@pytest.fixture(scope="module")
def may_sandbox():
    """Skips where not even root may make namespaces, as in most containers."""
    if os.geteuid() or in_new_process(sandboxed("return 0")).returncode:
        pytest.skip("the kernel lets this user make no namespaces")


def test_the_sandbox_has_a_loopback_and_nothing_else(may_sandbox):
    """One network interface that works, its own processes, and an empty shared memory."""
    done = in_new_process(
        sandboxed(
            "import socket\n"
            "server = socket.create_server(('127.0.0.1', 0))\n"
            "socket.create_connection(server.getsockname()).close()\n"
            "processes = [name for name in os.listdir('/proc') if name.isdigit()]\n"
            "names = [name for _, name in socket.if_nameindex()]\n"
            "print(names, processes, os.listdir('/dev/shm'))\n"
            "return 7"
        )
    )
    assert (done.returncode, done.stderr) == (7, "")
    assert done.stdout == "['lo'] ['1'] []\n"


def test_what_was_started_in_the_sandbox_ends_with_it(may_sandbox):
    """A program in the background, in a session of its own, does not outlive `work`."""
    read, write = os.pipe()
    code = sandboxed(
        "import subprocess\n"
        f"subprocess.Popen(['sleep', '1000'], pass_fds=[{write}], start_new_session=True)\n"
        "return 0"
    )
    code = f"import os, sys; sys.path.insert(0, {str(TOOLS)!r})\n{code}"
    subprocess.run([sys.executable, "-c", code], pass_fds=[write], check=True)
    os.close(write)
    assert os.read(read, 1) == b""  # ends when nobody holds the other end of the pipe
    os.close(read)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -9)]
)
def test_ending_the_tool_ends_the_sandbox(may_sandbox, number, status):
    """Asked to end or killed, the tool leaves nothing behind."""
    code = sandboxed("print('in', flush=True)\nimport signal\nsignal.pause()\nreturn 0")
    code = f"import os, sys; sys.path.insert(0, {str(TOOLS)!r})\n{code}"
    tool = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert tool.stdout is not None
    assert tool.stdout.readline() == "in\n"
    tool.send_signal(number)
    assert tool.communicate(timeout=10)[0] == ""  # when the sandbox, too, has closed stdout
    assert tool.returncode == status
