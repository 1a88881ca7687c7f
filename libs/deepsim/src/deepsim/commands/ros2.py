# SPDX-License-Identifier: Apache-2.0
"""`deepsim ros2`: serves tasks and worlds to ROS 2, acts there, and builds messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deepsim.output import result_table, say
from deepsim.playing import required
from deepsim_spawn.backends import DEFAULT, Backend, open_simulator
from deepsim_spawn.stage import SUFFIXES, studio, world_of_file
from deepsim_sync import DeepSimError, World
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.search import find_task
from deepsim_train.training.run_folder import chosen

from .command_help import complete_task, example, group
from .options import BackendName, Root, TaskName, Worlds, fail, stoppable

if TYPE_CHECKING:
    from deepsim_envs import Environment

ros2 = group("Serves tasks and worlds to ROS 2, and lets policies act there.")


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
        required("deepsim_ros2", "ros2")
        with Backend(backend), _opened(name, root, worlds, seed, path or []) as served:
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
                    opener=lambda each, worlds: World(open_simulator(each, worlds)),
                ) as server,
                suppress(KeyboardInterrupt),
            ):
                say(console, f"serves {name or 'an empty world'} to ROS 2 (Ctrl-C ends it)")
                server.run()
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)


@ros2.command(epilog=example("ros2 act navigate --policy trained", "ros2.md"))
def act(
    name: TaskName = "",
    root: Root = Path(),
    policy: Annotated[
        str | None,
        typer.Option(
            help="The policy that acts: one of the task, a folder of `deepsim train`, or an ONNX "
            "model; by default the task's random, else its first."
        ),
    ] = None,
    episodes: Annotated[
        int,
        typer.Option(min=1, help="Number of episodes; reset_simulation begins all but the first."),
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what the task and policy draw.")] = 0,
    namespace: Annotated[str, typer.Option(help="Namespace of services and topics.")] = "",
    lockstep: Annotated[
        bool, typer.Option("--lockstep", help="Pause the simulation; each action steps it.")
    ] = False,
    remap: Annotated[
        list[str] | None, typer.Option(help="Another name of a topic, as in scan:=front/scan.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Longest wait for a topic or an answer, seconds.")
    ] = 10.0,
) -> None:
    """Lets a policy act on ROS 2: it observes topics and commands robots, in simulated time.

    The task must be that of the simulation, such as deepsim ros2 serve TASK. The episode ends as
    the task says; Ctrl-C ends it, too. Bases then stop.
    """
    console = Console()
    try:
        required("deepsim_ros2", "ros2")
        from deepsim_ros2.acting import follow  # noqa: PLC0415 (of an extra)

        _, task, who, maker = chosen(name, root, policy)
        wrong = [each for each in remap or [] if ":=" not in each]
        if wrong:
            raise ValueError(f"--remap takes FROM:=TO, got {wrong[0]!r}")
        remapped = [word for each in remap or [] for word in ("-r", each)]
        with (
            stoppable(),
            follow(
                lambda: task.environment(seed, 1),
                namespace=namespace,
                lockstep=lockstep,
                arguments=["--ros-args", *remapped] if remapped else (),
                timeout=timeout,
            ) as environment,
        ):
            say(console, f"{who} acts in {task.name} on ROS 2 (Ctrl-C ends it)")
            acting = slot_policy(maker, environment, seed)
            done = [
                episode
                for number in range(1, episodes + 1)
                for episode in run_episodes(environment, acting, number, seed)
            ]
        console.print(result_table(task.name, who, seed, done, console.width))
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)


@ros2.command(epilog=example("ros2 messages", "ros2.md"))
def messages() -> None:
    """Builds the messages that ROS 2's wheels lack into this environment; minutes, once."""
    console = Console()
    try:
        required("deepsim_ros2", "ros2")
        from deepsim_ros2.messages.build import build  # noqa: PLC0415 (of an extra)

        built = build(lambda line: say(console, line))
        say(console, f"built {', '.join(built)}" if built else "all messages are there")
    except (DeepSimError, OSError) as error:
        fail(console, error)


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
