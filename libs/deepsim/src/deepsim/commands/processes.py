# SPDX-License-Identifier: Apache-2.0
"""`deepsim master`, `physics` and `sensors`: processes that communicate over topics."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.backend import DEFAULT, Backend
from deepsim_spawn import GazeboXMLLoader, WorldDescription
from deepsim_sync import DeepSimError

from .options import BackendName, Namespace, Worlds, fail
from .stopping import stoppable


def master(
    host: Annotated[
        str, typer.Option(help="Address to listen on; by default that of GAZEBO_MASTER_URI.")
    ] = "",
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="TCP port, 0 for any free one; by default that of GAZEBO_MASTER_URI.",
        ),
    ] = None,
    certificates: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Require a certificate and a password of all clients: a folder with "
            "authority.pem, certificate.pem and private_key.pem.",
        ),
    ] = None,
    users: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help='Passwords of the clients: JSON, {"operators": {"ada": "..."}, "viewers": {}}.',
        ),
    ] = None,
) -> None:
    """Runs the master that connects processes, until Ctrl-C."""
    console = Console()
    with errors(console):
        from deepsim_transport import Access, Master  # noqa: PLC0415 (of an extra)

        if (certificates is None) != (users is None):
            raise DeepSimError("give --certificates and --users together")
        access = Access.of_files(certificates, users) if certificates and users else None
        with stoppable(), Master(host, port, access=access) as made:
            console.print(f"master at http://{made.host}:{made.port}", highlight=False)
            threading.Event().wait()


def physics(
    file: Annotated[
        Path | None, typer.Argument(exists=True, dir_okay=False, help="A world (SDF).")
    ] = None,
    namespace: Namespace = "default",
    worlds: Worlds = 1,
    speed: Annotated[
        float,
        typer.Option(min=0.0, help="Speed as a multiple of real time; 0 for as fast as possible."),
    ] = 1.0,
    paused: Annotated[bool, typer.Option("--paused", help="Start paused.")] = False,
    backend: BackendName = DEFAULT,
) -> None:
    """Simulates a world for other processes, until Ctrl-C. Needs a master."""
    console = Console()
    with errors(console):
        from deepsim_transport import PhysicsServer, Transport  # noqa: PLC0415 (of an extra)

        world = GazeboXMLLoader().load_world(file) if file else WorldDescription()
        with (
            stoppable(),
            Transport(namespace=namespace) as transport,
            Backend(backend) as chosen,
            closing(chosen.open(world, worlds)) as simulator,
            PhysicsServer(simulator, transport, speed=speed or None, paused=paused) as server,
        ):
            console.print(f"simulates /gazebo/{namespace}", highlight=False)
            server.run()


def sensors(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Sensors, as model::link::sensor; by default all cameras and lidars."),
    ] = None,
    namespace: Namespace = "default",
    backend: BackendName = DEFAULT,
) -> None:
    """Publishes the readings of cameras and lidars, until Ctrl-C."""
    console = Console()
    with errors(console):
        from deepsim_transport import SensorServer, Transport  # noqa: PLC0415 (of an extra)

        with (
            stoppable(),
            Transport(namespace=namespace) as transport,
            Backend(backend) as chosen,
            SensorServer(transport, chosen.open, names or None) as server,
        ):
            console.print(f"measures /gazebo/{namespace}", highlight=False)
            server.run()


@contextmanager
def errors(console: Console) -> Iterator[None]:
    """Ends a command with a one-line message if something fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "deepsim_transport":
            raise
        fail(console, DeepSimError("topics are an extra: pip install 'deepsim[transport]'"))
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)
