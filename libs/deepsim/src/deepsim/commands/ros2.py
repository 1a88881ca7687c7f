# SPDX-License-Identifier: Apache-2.0
"""`deepsim ros2`: serves tasks and worlds to ROS 2, and builds the messages that this needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deepsim.output import say
from deepsim_spawn import WorldDescription
from deepsim_spawn.backends import DEFAULT, Backend, open_simulator
from deepsim_spawn.stage import studio
from deepsim_sync import DeepSimError, World
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.search import find_task

from .command_help import complete_task, example, group
from .options import BackendName, Root, Worlds, fail, stoppable
from .view import SUFFIXES, world_of_file

if TYPE_CHECKING:
    from deepsim_envs import Environment

ros2 = group("Serves tasks and worlds to ROS 2.")


@ros2.command(epilog=example("ros2 serve navigate", "ros2.md"))
def serve(
    name: Annotated[
        str | None,
        typer.Argument(
            autocompletion=complete_task,
            help="A task: a folder, its name, or an id. Or a model or world: a file (SDF, URDF, "
            "xacro, MJCF), or a model:// URI. An empty world without it.",
        ),
    ] = None,
    root: Root = Path(),
    worlds: Worlds = 1,
    seed: Annotated[int, typer.Option(min=0, help="World w has the seed SEED + w.")] = 0,
    namespace: Annotated[str, typer.Option(help="Namespace of services and topics.")] = "",
    speed: Annotated[
        float,
        typer.Option(min=0.0, help="Speed as a multiple of real time; 0 for as fast as possible."),
    ] = 1.0,
    rate: Annotated[
        float, typer.Option(min=0.0, help="Rate of joint states and transforms, Hz; 0 for all.")
    ] = 50.0,
    stopped: Annotated[bool, typer.Option("--stopped", help="Start stopped, not playing.")] = False,
    path: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Folder of models and worlds that clients may load."
        ),
    ] = None,
    backend: BackendName = DEFAULT,
) -> None:
    """Serves a task or world as a simulator of ROS 2, until Ctrl-C.

    Services and action of simulation_interfaces 2.1, clock, transforms, joint states, sensors, and
    commands to joints and bases.
    """
    console = Console()
    try:
        with _errors(), Backend(backend), _opened(name, root, worlds, seed, path or []) as served:
            from deepsim_ros2.server import Ros2Server, add_base  # noqa: PLC0415 (of an extra)

            if isinstance(served, World):
                for model in served.entities.models:
                    add_base(served, model)
            with (
                stoppable(),
                Ros2Server(
                    served,
                    namespace=namespace,
                    speed=speed or None,
                    rate=rate,
                    playing=not stopped,
                    search_path=path,
                    opener=_open_world,
                ) as server,
                suppress(KeyboardInterrupt),
            ):
                say(console, f"serves {name or 'an empty world'} to ROS 2 (Ctrl-C ends it)")
                server.run()
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)


@ros2.command(epilog=example("ros2 messages", "ros2.md"))
def messages() -> None:
    """Builds the messages that ROS 2's wheels lack into this environment; minutes, once."""
    console = Console()
    try:
        with _errors():
            from deepsim_ros2.messages.build import build  # noqa: PLC0415 (of an extra)

            built = build(lambda line: say(console, line))
            say(console, f"built {', '.join(built)}" if built else "all messages are there")
    except (DeepSimError, OSError) as error:
        fail(console, error)


@contextmanager
def _errors() -> Iterator[None]:
    """Replaces the error of a missing extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "deepsim_ros2":
            raise
        raise DeepSimError(
            "ROS 2 is an extra: pip install --find-links dist 'deepsim[ros2]'"
        ) from error


@contextmanager
def _opened(
    name: str | None, root: Path, worlds: int, seed: int, path: list[Path]
) -> Iterator[World | Environment]:
    """Opens a task, a file, or an empty world."""
    if name is None:
        with closing(World(open_simulator(studio(), worlds), seed=seed)) as world:
            yield world
    elif "://" in name or Path(name).suffix in SUFFIXES:
        with closing(world_of_file(name, worlds, seed, path)) as world:
            yield world
    else:
        with load_task(find_task(name, root)).environment(seed, worlds) as environment:
            yield environment


def _open_world(description: WorldDescription, worlds: int) -> World:
    return World(open_simulator(description, worlds))
