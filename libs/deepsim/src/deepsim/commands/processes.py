# SPDX-License-Identifier: Apache-2.0
"""`deepsim master`, `physics`, `sensors` and `topic`: processes that talk over topics."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deepsim.backend import DEFAULT, Backend
from deepsim_spawn import GazeboXMLLoader, WorldDescription
from deepsim_sync import DeepSimError

from .options import BackendName, Namespace, Worlds, fail
from .stopping import stoppable

if TYPE_CHECKING:
    from deepsim_transport import Transport

topic = typer.Typer(no_args_is_help=True, help="Show what processes say to each other.")


def master(
    host: Annotated[str, typer.Option(help="An address; that of GAZEBO_MASTER_URI.")] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The same.")] = 0,
    public: Annotated[
        bool,
        typer.Option("--public", help="Let other machines in, who may then command everything."),
    ] = False,
) -> None:
    """Carries topics between processes, until Ctrl-C."""
    console = Console()
    with _errors(console):
        from deepsim_transport import Master  # noqa: PLC0415 (of an extra)

        with stoppable(), Master(host, port, public=public) as made:
            console.print(f"master at http://{made.host}:{made.port}", highlight=False)
            threading.Event().wait()


def physics(
    file: Annotated[
        Path | None, typer.Argument(exists=True, dir_okay=False, help="A world (SDF).")
    ] = None,
    namespace: Namespace = "default",
    worlds: Worlds = 1,
    speed: Annotated[
        float, typer.Option(min=0.0, help="Times real time; 0 is as fast as it goes.")
    ] = 1.0,
    paused: Annotated[bool, typer.Option("--paused", help="Begin paused.")] = False,
    backend: BackendName = DEFAULT,
) -> None:
    """Simulates a world for other processes, until Ctrl-C. Needs a master."""
    console = Console()
    with _errors(console):
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
        list[str] | None, typer.Argument(help="model::link::sensor; all that see by default.")
    ] = None,
    namespace: Namespace = "default",
    backend: BackendName = DEFAULT,
) -> None:
    """Measures by cameras and lidars for other processes, until Ctrl-C."""
    console = Console()
    with _errors(console):
        from deepsim_transport import SensorServer, Transport  # noqa: PLC0415 (of an extra)

        with (
            stoppable(),
            Transport(namespace=namespace) as transport,
            Backend(backend) as chosen,
            SensorServer(transport, chosen.open, names or None) as server,
        ):
            console.print(f"measures /gazebo/{namespace}", highlight=False)
            server.run()


@topic.command("list")
def list_topics(namespace: Namespace = "default") -> None:
    """Lists the topics that are heard of within half a second."""
    console = Console()
    with _errors(console), _session(namespace) as transport:
        for name in sorted(_heard(transport, "**", 0.5)):
            console.print(f"/{name}", highlight=False)


@topic.command()
def hz(
    name: str,
    namespace: Namespace = "default",
    seconds: Annotated[float, typer.Option(min=0.1, help="How long it listens.")] = 5.0,
) -> None:
    """Prints how often a topic comes, and how many bytes it brings."""
    console = Console()
    with _errors(console), _session(namespace) as transport:
        sizes = _heard(transport, name, seconds).get(transport.key(name), [])
        rate, bandwidth = len(sizes) / seconds, sum(sizes) / seconds
        console.print(f"{rate:.1f} Hz, {bandwidth / 1000:.1f} kB/s", highlight=False)


@topic.command()
def echo(
    name: Annotated[str, typer.Argument(help="world_stats, or another topic of messages.")],
    namespace: Namespace = "default",
    count: Annotated[int, typer.Option(min=1, help="How many messages.")] = 1,
) -> None:
    """Prints messages of a topic."""
    console = Console()
    with _errors(console), _session(namespace) as transport:
        from deepsim_transport import messages  # noqa: PLC0415 (of an extra)

        kinds = {"world_stats": messages.WorldStatistics}
        if name not in kinds:
            raise DeepSimError(f"no messages are known of {name!r}; known: {', '.join(kinds)}")
        shown = threading.Semaphore(0)

        def show(message: object) -> None:
            console.print(message)
            shown.release()

        subscriber = transport.subscribe(name, kinds[name], show)
        try:
            for _ in range(count):
                shown.acquire()
        finally:
            subscriber.close()


def _heard(transport: Transport, pattern: str, seconds: float) -> dict[str, list[int]]:
    """Returns the sizes of all messages that come within a time, by the name of the topic."""
    found: dict[str, list[int]] = {}
    subscriber = transport.session.declare_subscriber(
        transport.key(pattern),
        lambda sample: found.setdefault(str(sample.key_expr), []).append(len(sample.payload)),
    )
    threading.Event().wait(seconds)
    subscriber.undeclare()
    return found


@contextmanager
def _session(namespace: str) -> Iterator[Transport]:
    from deepsim_transport import Transport  # noqa: PLC0415 (of an extra)

    with Transport(namespace=namespace) as transport:
        yield transport


@contextmanager
def _errors(console: Console) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "deepsim_transport":
            raise
        fail(console, DeepSimError("topics are an extra: pip install 'deepsim[transport]'"))
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)
