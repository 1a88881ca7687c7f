# SPDX-License-Identifier: Apache-2.0
"""rosmaster and gzserver, for whoever is in the sandbox: `run`, tests and benchmarks.

    from gazebo.servers import GazeboServer  # with tools/ in sys.path

    with GazeboServer(world="tests/gazebo/falling.world") as server:
        ...
        server.kill()
        server.start()

`python tools/gazebo run --no-server -- COMMAND` gives COMMAND a sandbox that has a rosmaster.
"""

from __future__ import annotations

import signal
import socket
import threading
import xmlrpc.client
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gazebo import cache
from gazebo.cache import GazeboHostError
from gazebo.process import Process

ADDRESS = "127.0.0.1"
MASTER_URI = f"http://{ADDRESS}:11311"
PLUGIN = "libgazebo_batch_state.so"
EMPTY_WORLD = "worlds/empty.world"
"""A ground plane and a sun; Gazebo brings it along."""

_LOOK = 0.1  # for servers that have ended [s]
_STARTS = 3
# OGRE makes its window on one connection to the display and draws on another one. Once in some
# hundred starts the display serves them in the other order: gazebosim/gazebo-classic#2692.
_WINDOW_TOO_LATE = "X Error of failed request:  BadDrawable"
_DISPLAY = 77
_ON_DISPLAY = {"DISPLAY": f":{_DISPLAY}", "LIBGL_ALWAYS_SOFTWARE": "1"}
_LAST_SERVICE = "/gazebo_batch_state/get_names"


def ros_variables(master_uri: str = MASTER_URI) -> dict[str, str]:
    """What programs of the root need to find the master, and our packages, messages and plugins."""
    prefix = cache.install()
    return {
        "ROS_MASTER_URI": master_uri,
        "ROS_IP": ADDRESS,
        "ROS_PACKAGE_PATH": f"{prefix}/share:/usr/share",
        "CMAKE_PREFIX_PATH": f"{prefix}:/usr",
        "PYTHONPATH": f"{prefix}/lib/python3/dist-packages",
        "LD_LIBRARY_PATH": f"{prefix}/lib",
        "GAZEBO_PLUGIN_PATH": f"{prefix}/lib",
        "GAZEBO_IP": ADDRESS,
        "IGN_IP": ADDRESS,
        "GAZEBO_MODEL_DATABASE_URI": "",
    }


class RosMaster(Process):
    """ROS's name server, `rosmaster --core`: roscore without rosout, which nothing here needs.

    Args:
        port: where it listens; 11311 is what clients take for granted.
    """

    def __init__(self, port: int = 11311) -> None:
        self.uri = f"http://{ADDRESS}:{port}"
        super().__init__(["rosmaster", "--core", "--port", str(port)], ros_variables(self.uri))

    def start(self) -> None:
        """Start it and return when it listens."""
        super().start()
        self.wait_until(lambda: _listens(self.uri))


class _VirtualDisplay(Process):
    """Xvfb, a display without a screen, on which cameras render by software (llvmpipe).

    Its socket is an abstract one, so that each sandbox has display 77 to itself.
    """

    def __init__(self) -> None:
        command = ["Xvfb", f":{_DISPLAY}", "-nolock", "-nolisten", "tcp", "-nolisten", "unix"]
        # -noreset: Xvfb starts over when its last client leaves, and has died in doing so
        super().__init__([*command, "-noreset", "-screen", "0", "640x480x24"])

    def start(self) -> None:
        """Start it and return when it accepts clients."""
        super().start()
        self.wait_until(self._listens)

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(f"\0/tmp/.X11-unix/X{_DISPLAY}") == 0


class GazeboServer(Process):
    """gzserver with the batch-state plugin, in a world.

    Args:
        world: an SDF file that the root can see (below the clone or the folder for temporary
            files), or one that Gazebo brings along, such as `worlds/empty.world`.
        camera: whether cameras render, on a virtual display of their own.
        arguments: more arguments for gzserver, such as `("-u",)` to start paused.
        environment: more variables for gzserver.
        master_uri: the ROS master to register with.
        plugins: the system plugins, in the order in which they are loaded.
    """

    def __init__(
        self,
        world: str | Path = EMPTY_WORLD,
        *,
        camera: bool = False,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        master_uri: str = MASTER_URI,
        plugins: Sequence[str | Path] = (PLUGIN,),
    ) -> None:
        self._master_uri = master_uri
        self._display = _VirtualDisplay() if camera else None
        variables = {
            **ros_variables(master_uri),
            "GAZEBO_MASTER_URI": f"http://{ADDRESS}:11345",
            **(_ON_DISPLAY if camera else {}),
            **(environment or {}),
        }
        world = Path(world).absolute() if Path(world).is_file() else Path(world)
        loaded = [option for plugin in plugins for option in ("-s", str(plugin))]
        command = ["gzserver", "--verbose", *loaded, *arguments, str(world)]
        super().__init__(command, variables, ending=signal.SIGINT)
        _require_visible(world)
        if not (cache.install() / "lib" / PLUGIN).exists():
            raise GazeboHostError(f"{PLUGIN} has not been built: python tools/gazebo build")

    def start(self) -> None:
        """Start it and return when its services answer."""
        if not _listens(self._master_uri):
            raise GazeboHostError(f"no ROS master at {self._master_uri}: start RosMaster first")
        if self._display is not None and not self._display.running:
            self._display.start()
        for left in reversed(range(_STARTS)):
            super().start()
            try:
                self.wait_until(self._answers)
                return
            except GazeboHostError as error:
                if not left or _WINDOW_TOO_LATE not in str(error):
                    raise

    def stop(self) -> None:
        """Ask gzserver to end and kill it 5 s later; end its display."""
        super().stop()
        if self._display is not None:
            self._display.stop()

    def _answers(self) -> bool:
        with xmlrpc.client.ServerProxy(self._master_uri) as master:
            answer: Any = master.lookupService("/tools/gazebo", _LAST_SERVICE)
        code, _, uri = answer
        return code == 1 and _listens(uri)


class WorldServers:
    """Some gzservers as worlds, each with a ROS master of its own; one that ends starts again.

    Args:
        count: the number of servers.
        world: the world of each, see `GazeboServer`.
        camera: whether cameras render.
        port: the port of the first master; the others have those that follow, and Gazebo's own
            masters those from 1000 above.
    """

    def __init__(
        self,
        count: int,
        world: str | Path = EMPTY_WORLD,
        *,
        camera: bool = False,
        port: int = 11311,
    ) -> None:
        self.masters = [RosMaster(port + number) for number in range(count)]
        self.servers = [
            GazeboServer(
                world,
                camera=camera and number == 0,  # whose display the others use too
                environment={
                    **(_ON_DISPLAY if camera else {}),
                    "GAZEBO_MASTER_URI": f"http://{ADDRESS}:{port + 1000 + number}",
                    "IGN_PARTITION": f"world{number}",  # or they draw each other's scenes
                },
                master_uri=master.uri,
            )
            for number, master in enumerate(self.masters)
        ]
        self._ending = threading.Event()
        self._keeper = threading.Thread(target=self._keep)

    @property
    def master_uris(self) -> list[str]:
        """The ROS masters, by the number of the world."""
        return [master.uri for master in self.masters]

    def __enter__(self) -> WorldServers:
        with ExitStack() as started:
            for process in (*self.masters, *self.servers):
                started.enter_context(process)
            self._started = started.pop_all()
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._keeper.join()
        self._started.close()

    def _keep(self) -> None:
        while not self._ending.wait(_LOOK):
            for number, server in enumerate(self.servers):
                if not server.running:
                    print(f"tools/gazebo: the server of world {number} starts again", flush=True)
                    try:
                        server.start()
                    except GazeboHostError as error:  # it is tried again
                        print(f"tools/gazebo: {error}", flush=True)


def _require_visible(world: Path) -> None:
    """Make sure that gzserver finds the world: an absolute path, or one of Gazebo's own."""
    own = Path("usr/share/gazebo-11", world)
    inside = world.relative_to("/") if world.is_absolute() else own
    if (cache.root() / inside).is_file():
        return
    if world.is_file():
        raise GazeboHostError(f"gzserver cannot see {world}: put it below {cache.CLONE}")
    raise GazeboHostError(f"no world {world}: neither a file nor one of Gazebo's own")


def _listens(uri: str) -> bool:
    """Whether something on this machine accepts connections at `uri`."""
    try:
        socket.create_connection((ADDRESS, urlsplit(uri).port or 0), timeout=1.0).close()
    except OSError:
        return False
    return True
