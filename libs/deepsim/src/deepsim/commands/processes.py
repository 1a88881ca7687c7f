# SPDX-License-Identifier: Apache-2.0
"""`deepsim master`, `physics` and `sensors`, which communicate over topics, and `topic`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from deepsim.output import say
from deepsim_math import Pose
from deepsim_spawn import GazeboXMLLoader, WorldDescription
from deepsim_spawn.backends import DEFAULT, Backend, open_simulator
from deepsim_sync import DeepSimError, World
from deepsim_train.episodes import endless_episodes
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.training.run_folder import chosen

from .command_help import complete_task, example, group
from .options import BackendName, Namespace, Root, Worlds, fail, stoppable, without_effect

if TYPE_CHECKING:
    from deepsim_transport import Transport, WorldDriver


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
    with _errors(console):
        from deepsim_transport import Access, Master  # noqa: PLC0415 (of an extra)

        if (certificates is None) != (users is None):
            raise DeepSimError("give --certificates and --users together")
        access = Access.of_files(certificates, users) if certificates and users else None
        with stoppable(), Master(host, port, access=access) as made:
            say(console, f"master at http://{made.host}:{made.port}")
            threading.Event().wait()


def physics(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            autocompletion=complete_task,
            help="A world: an SDF file; or a task, of which episodes are played without end.",
        ),
    ] = None,
    root: Root = Path(),
    policy: Annotated[
        str | None, typer.Option(help="The policy that acts in a task, as in `deepsim run`.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="World w has the seed SEED + w.")] = 0,
    namespace: Namespace = "default",
    worlds: Worlds = 1,
    speed: Annotated[
        float,
        typer.Option(min=0.0, help="Speed as a multiple of real time; 0 for as fast as possible."),
    ] = 1.0,
    paused: Annotated[bool, typer.Option("--paused", help="Start paused.")] = False,
    backend: BackendName = DEFAULT,
) -> None:
    """Simulates a world or a task for other processes, until Ctrl-C. Needs a master.

    A task runs with its behaviours and scripts; other processes see and change its world.
    """
    console = Console()
    with _errors(console):
        from deepsim_transport import PhysicsServer, Transport  # noqa: PLC0415 (of an extra)

        is_file = name is None or Path(name).is_file()
        if is_file:
            without_effect(context, "without a task", "root", "policy", "seed")
        world = GazeboXMLLoader().load_world(Path(name)) if name and is_file else WorldDescription()
        with (
            stoppable(),
            Transport(namespace=namespace) as transport,
            Backend(backend),
            closing(open_simulator(world, worlds))
            if is_file
            else _episodes(str(name), root, policy, worlds, seed) as served,
            PhysicsServer(
                served, transport, speed=speed or None, paused=paused, gravity=tuple(world.gravity)
            ) as server,
        ):
            say(console, f"simulates /gazebo/{namespace}")
            server.run()


@contextmanager
def _episodes(
    name: str, root: Path, policy: str | None, worlds: int, seed: int
) -> Iterator[WorldDriver]:
    """Opens a task, and yields a driver that plays its episodes without end."""
    from deepsim_transport import WorldDriver  # noqa: PLC0415 (of an extra)

    _, task, _, maker = chosen(name, root, policy)
    with task.environment(seed, worlds) as environment:
        begin, step = endless_episodes(environment, slot_policy(maker, environment, seed))
        begin([seed + number for number in range(worlds)])
        yield WorldDriver(environment.world, step, environment.frame_skip, begin)


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
    with _errors(console):
        from deepsim_transport import SensorServer, Transport  # noqa: PLC0415 (of an extra)

        with (
            stoppable(),
            Transport(namespace=namespace) as transport,
            Backend(backend) as chosen,
            SensorServer(transport, chosen.open, names or None) as server,
        ):
            say(console, f"measures /gazebo/{namespace}")
            server.run()


@contextmanager
def _errors(console: Console) -> Iterator[None]:
    """Ends a command with a one-line message if something fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "deepsim_transport":
            raise
        fail(
            console,
            DeepSimError("topics are an extra: pip install --find-links dist 'deepsim[transport]'"),
        )
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)


@contextmanager
def _session(console: Console, namespace: str) -> Iterator[Transport]:
    """Yields a session with the master; see `_errors`."""
    with _errors(console):
        from deepsim_transport import Transport  # noqa: PLC0415 (of an extra)

        with Transport(namespace=namespace) as transport:
            yield transport


topic = group("Shows the topics of processes, and their messages.")

_FIRST = 2.0  # the time that `info` waits for a message [s]
Seconds = Annotated[float, typer.Option(min=0.1, help="Time to listen, s.")]


@topic.command("list", epilog=example("topic list --namespace lab", "transport.md"))
def list_topics(namespace: Namespace = "default") -> None:
    """Lists the topics that have a publisher, a subscriber or a server."""
    console = Console()
    with _session(console, namespace) as transport:
        for name in transport.topics():
            say(console, f"/{transport.key(name)}")


@topic.command(epilog=example("topic info entity_state_update", "transport.md"))
def info(name: str, namespace: Namespace = "default") -> None:
    """Prints the type, publishers, subscribers and servers of a topic."""
    console = Console()
    with _session(console, namespace) as transport:
        from deepsim_transport.listening import (  # noqa: PLC0415 (of an extra)
            kind_of,
            known_topic,
            listening,
        )

        found = known_topic(transport, name)
        heard: SimpleQueue[Any] = SimpleQueue()
        kind = "requests" if found.answering else "nothing heard"
        if found.publishers:
            with listening(transport, name, heard.put), suppress(Empty):
                kind = kind_of(heard.get(timeout=_FIRST))
        lines = (
            f"/{transport.key(name)}: {kind}",
            f"publishers: {len(found.publishers)}",
            f"subscribers: {len(found.subscribers)}",
            f"answering: {len(found.answering)}",
        )
        for line in lines:
            say(console, line)


@topic.command(epilog=example("topic hz entity_state_update", "transport.md"))
def hz(name: str, namespace: Namespace = "default", seconds: Seconds = 5.0) -> None:
    """Prints the rate of a topic's messages."""
    console = Console()
    with _session(console, namespace) as transport:
        from deepsim_transport.listening import sizes_heard  # noqa: PLC0415 (of an extra)

        sizes = sizes_heard(transport, name, seconds)
        say(console, f"{len(sizes) / seconds:.1f} Hz")


@topic.command(epilog=example("topic bw entity_state_update", "transport.md"))
def bw(name: str, namespace: Namespace = "default", seconds: Seconds = 5.0) -> None:
    """Prints the bandwidth of a topic and the sizes of its messages."""
    console = Console()
    with _session(console, namespace) as transport:
        from deepsim_transport.listening import sizes_heard  # noqa: PLC0415 (of an extra)

        sizes = sizes_heard(transport, name, seconds)
        text = f"{sum(sizes) / seconds / 1000:.1f} kB/s, {len(sizes)} messages"
        if sizes:
            mean = sum(sizes) / len(sizes)
            text += f" of {min(sizes)} to {max(sizes)} bytes, {mean:.0f} on average"
        say(console, text)


@topic.command(
    epilog=example(
        'topic pub set_joint_state JointState \'{"joint_name":"arm::elbow"}\'', "transport.md"
    )
)
def pub(
    name: str,
    message: Annotated[str, typer.Argument(help="A class of deepsim_transport.messages.")],
    fields: Annotated[str, typer.Argument(help="The fields that differ from 0 or empty, as JSON.")],
    namespace: Namespace = "default",
) -> None:
    """Sends a message, as a command if a process answers on the topic."""
    console = Console()
    with _session(console, namespace) as transport:
        from deepsim_transport.listening import message_of  # noqa: PLC0415 (of an extra)

        made = message_of(message, fields)
        if name in (found := transport.topics()) and found[name].answering:
            transport.command(name, made)
        else:
            transport.advertise(name, type(made)).publish(made)


@topic.command(epilog=example("topic echo entity_state_update --count 3", "transport.md"))
def echo(
    name: str,
    namespace: Namespace = "default",
    count: Annotated[int, typer.Option(min=1, help="Number of messages to print.")] = 1,
) -> None:
    """Prints the messages of a topic as they arrive."""
    console = Console()
    with _session(console, namespace) as transport:
        heard: SimpleQueue[Any] = SimpleQueue()
        from deepsim_transport.listening import listening  # noqa: PLC0415 (of an extra)

        with listening(transport, name, heard.put):
            for _ in range(count):
                _print(console, heard.get())


def _print(console: Console, sample: Any) -> None:
    from deepsim_transport import MessageError  # noqa: PLC0415 (of an extra)
    from deepsim_transport.listening import content_of  # noqa: PLC0415

    try:
        content = content_of(sample)
    except MessageError as error:
        say(console, f"unreadable: {error}")
        return
    if not hasattr(content, "arrays"):
        console.print(content)
        return
    console.print(dict(content.header))
    for name, array in content.arrays.items():
        say(console, f"{name} {array.shape}")
        say(console, str(array))


world = group("Lists the worlds of physics processes, and inserts and deletes models.")


@world.command("list", epilog=example("world list", "transport.md"))
def list_worlds() -> None:
    """Lists the namespaces of all physics processes of the master."""
    console = Console()
    with _session(console, "default") as transport:
        for name in transport.worlds():
            say(console, name)


@world.command(
    epilog=example("world insert box.sdf box --at 0 0 1 --namespace lab", "transport.md")
)
def insert(
    source: Annotated[str, typer.Argument(help="A model: a file (SDF, URDF), or a model:// URI.")],
    name: Annotated[str, typer.Argument(help="The name of the new model.")],
    at: Annotated[tuple[float, float, float], typer.Option(help="Position of its frame, m.")] = (
        0.0,
        0.0,
        0.0,
    ),
    namespace: Namespace = "default",
) -> None:
    """Inserts a model."""
    console = Console()
    with _session(console, namespace) as transport:
        from deepsim_transport import RemoteSimulator  # noqa: PLC0415 (of an extra)

        World(RemoteSimulator(transport)).spawn(
            GazeboXMLLoader().load_model(source), name, Pose(at)
        )


@world.command(epilog=example("world delete box --namespace lab", "transport.md"))
def delete(name: str, namespace: Namespace = "default") -> None:
    """Deletes a model."""
    console = Console()
    with _session(console, namespace) as transport:
        from deepsim_transport import RemoteSimulator  # noqa: PLC0415 (of an extra)

        World(RemoteSimulator(transport)).delete(name)
