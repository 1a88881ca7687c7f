# SPDX-License-Identifier: Apache-2.0
"""`deepsim view` and `drive`: a task, a world or a robot live in the browser."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deepsim.output import say
from deepsim.playing import required
from deepsim_robots import ROBOTS, RobotConfig, guess_robot
from deepsim_robots.catalogue.menagerie import PREFIX
from deepsim_robots.showing import named_config, staged_robot
from deepsim_spawn import GazeboXMLLoader, ModelDescription, ModelSpawner
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_spawn.stage import SUFFIXES, standing, world_of_file
from deepsim_sync import CameraView, DeepSimError, World
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.search import find_task, find_tasks, installed_tasks
from deepsim_train.training.run_folder import chosen

from .command_help import complete_task
from .options import BackendName, Namespace, Root, Worlds, fail, stoppable, without_effect
from .robots import MISTAKES, RobotName

if TYPE_CHECKING:
    from deepsim_viewer import Replayable, Viewer

_HEADER = 64  # within which an MCAP file names its profile [bytes]
_SHOWN: Mapping[str, tuple[str, ...]] = {  # options that act, beside --port and --open
    "a running world": ("namespace", "paused"),
    "a recording": ("html", "robot"),
    "a task": ("root", "policy", "worlds", "seed", "paused", "demonstrations", "backend"),
    "a robot": ("root", "worlds", "seed", "paused", "backend"),
    "a file": ("worlds", "seed", "paused", "backend"),
}


def view(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            autocompletion=complete_task,
            help="A task: a folder, its name, or an id. Or a robot of `deepsim robots list`. Or a "
            "model or world: a file (SDF, URDF, xacro, MJCF), or a model:// or package:// URI. "
            "Or a recording (.mcap) of `deepsim run --record` or of the page, or a bag of ROS 2 "
            "(.mcap, .db3, or its folder).",
        ),
    ] = None,
    root: Root = Path(),
    policy: Annotated[
        str | None,
        typer.Option(help="The policy that acts, as in `deepsim run`."),
    ] = None,
    worlds: Worlds = 1,
    seed: Annotated[int, typer.Option(min=0, help="World w has the seed SEED + w.")] = 0,
    port: Annotated[int, typer.Option(help="TCP port on 127.0.0.1; 0 for any free port.")] = 8080,
    paused: Annotated[bool, typer.Option("--paused", help="Start paused.")] = False,
    opened: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser of this machine.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the recording as one HTML page with a player, and exit."),
    ] = None,
    demonstrations: Annotated[
        Path | None,
        typer.Option(help="Record the task's episodes in this file, driven by hand or not."),
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(
            help="The robot on which a bag of ROS 2 without a robot_description is played: a file."
        ),
    ] = None,
    connect: Annotated[
        bool, typer.Option("--connect", help="Show the world of a running `deepsim physics`.")
    ] = False,
    namespace: Namespace = "default",
    backend: BackendName = DEFAULT,
) -> None:
    """Shows a task, world, model or recording in the browser.

    Prints the address of the page, which is served on 127.0.0.1 only; from another machine, use
    ssh -L 8080:127.0.0.1:8080. Ctrl-C ends the command.
    """
    console = Console()
    is_file = name is not None and ("://" in name or Path(name).suffix in SUFFIXES)
    try:
        required("deepsim_viewer", "view")
        if connect:
            from deepsim_viewer.connected import connected_view  # noqa: PLC0415 (of an extra)

            _check_options(context, "a running world", "name")
            with connected_view(namespace, port) as (viewer, run):
                show(console, viewer, run, paused, opened)
            return
        if name is None:
            tasks = ", ".join(task.name for task in (*find_tasks(root), *installed_tasks()))
            raise DeepSimError(f"name a robot, a file, or a task: {tasks or 'none is here'}")
        if _is_recording(Path(name)):
            _check_options(context, "a recording")
            if html is not None:
                without_effect(context, "on a written page", "port", "opened")
            _view_recording(console, Path(name), robot, port, html, opened)
            return
        if is_file:
            _check_options(context, "a file")
            shown = _view_file(name, worlds, seed, port)
        elif _is_robot(name, root):
            _check_options(context, "a robot")
            shown = _view_robot(name, worlds, seed, port)
        else:
            _check_options(context, "a task")
            shown = _view_task(name, root, policy, worlds, seed, port, demonstrations)
        with Backend(backend), shown as (viewer, run):
            show(console, viewer, run, paused, opened)
    except (DeepSimError, OSError) as error:
        fail(console, error)


def _check_options(context: typer.Context, kind: str, *others: str) -> None:
    """Refuses options that do nothing for what is shown, and other parameters."""
    known = {name for names in _SHOWN.values() for name in names}
    without_effect(context, f"on {kind}", *(known - {*_SHOWN[kind]}), *others)


def show(
    console: Console, viewer: Viewer, run: Callable[[], None], paused: bool, opened: bool
) -> None:
    """Prints the viewer's address, and calls `run` until Ctrl-C."""
    if paused:
        viewer.control.pause()
    with stoppable(), suppress(KeyboardInterrupt):  # even while the address is printed
        _announce(console, viewer.url, opened)
        run()


def _announce(console: Console, url: str, opened: bool) -> None:
    """Prints the address of a page that answers, and opens it if desired."""
    say(console, f"{url}  (Ctrl-C ends it)")
    if opened and not webbrowser.open(url):
        say(console, "no browser was found to open it")


def _is_recording(path: Path) -> bool:
    """Returns whether a path is a recording or a bag of ROS 2."""
    return path.suffix in (".mcap", ".db3") or (path / "metadata.yaml").is_file()


def _recording(path: Path, robot: str | None) -> Replayable:
    """Opens a recording of DeepSim or, if it has the header of one, a bag of ROS 2."""
    from deepsim_viewer import Recording  # noqa: PLC0415 (of an extra)
    from deepsim_viewer.recording.bag_replay import BagReplay  # noqa: PLC0415

    if path.suffix == ".mcap" and not path.is_dir():
        with path.open("rb") as file:
            is_bag = b"ros2" in file.read(_HEADER)
        if not is_bag:
            if robot is not None:
                raise DeepSimError(f"--robot takes a bag of ROS 2, got {path}")
            return Recording(path)
    described = GazeboXMLLoader().load_model(robot) if robot is not None else None
    return BagReplay(required("deepsim_ros2", "ros2").Bag(path), described)


def _view_recording(
    console: Console, path: Path, robot: str | None, port: int, html: Path | None, opened: bool
) -> None:
    """Shows a recording until Ctrl-C, or writes it as an HTML page."""
    from deepsim_viewer import ReplayViewer, recording_page  # noqa: PLC0415 (of an extra)

    recording = _recording(path, robot)
    if html is not None:
        html.write_text(recording_page(recording), encoding="utf-8")
        say(console, f"wrote {html}")
        return
    with ReplayViewer(recording, port=port) as viewer, stoppable(), suppress(KeyboardInterrupt):
        _announce(console, viewer.url, opened)
        viewer.wait()


@contextmanager
def _view_task(
    name: str,
    root: Path,
    policy: str | None,
    worlds: int,
    seed: int,
    port: int,
    demonstrations: Path | None,
) -> Iterator[tuple[Viewer, Callable[[], None]]]:
    """Opens a task in a viewer; yields the viewer and a function that plays episodes forever."""
    from deepsim_viewer import EnvironmentViewer  # noqa: PLC0415 (of an extra)

    _, task, _, maker = chosen(name, root, policy)
    with task.environment(seed, worlds) as environment:
        act = slot_policy(maker, environment, seed)
        with EnvironmentViewer(
            environment,
            act,
            seed=seed,
            demonstrations=demonstrations,
            port=port,
            label=task.name,
            camera=task.film if isinstance(task.film, CameraView) else None,
        ) as shown:
            yield shown.viewer, shown.run


def _is_robot(name: str, root: Path) -> bool:
    """Returns whether a name is a robot's of the catalogue, and no task's."""
    try:
        find_task(name, root)
    except TaskError:
        return name in ROBOTS or name.startswith(PREFIX)
    return False


@contextmanager
def _view_robot(
    name: str, worlds: int, seed: int, port: int
) -> Iterator[tuple[Viewer, Callable[[], None]]]:
    """Opens a robot of the catalogue, on the ground, in a viewer; see `_view_world`."""
    label = name.rpartition("/")[2]
    with (
        staged_robot(named_config(name), label, 0.001, worlds, seed) as robot,
        _view_world(robot.world, port, name, label) as shown,
    ):
        yield shown


@contextmanager
def _view_file(
    name: str, worlds: int, seed: int, port: int
) -> Iterator[tuple[Viewer, Callable[[], None]]]:
    """Opens a world or model in a viewer; see `_view_world`."""
    with closing(world_of_file(name, worlds, seed)) as world:
        moving = [
            each
            for each, model in world.simulator.descriptions.models.items()
            if not (isinstance(model, ModelDescription) and model.static)
        ]
        only = moving[0] if len(moving) == 1 else None
        with _view_world(world, port, Path(name).stem, only) as shown:
            yield shown


@contextmanager
def _view_world(
    world: World, port: int, label: str, follow: str | None
) -> Iterator[tuple[Viewer, Callable[[], None]]]:
    """Opens a world in a viewer; yields the viewer and a function that ticks forever."""
    from deepsim_viewer import Viewer  # noqa: PLC0415 (of an extra)

    with Viewer(world, port=port, speed=1.0, label=label, follow=follow) as viewer:

        def run() -> None:
            while True:
                world.tick()

        yield viewer, run


_GUESSED = (".urdf", ".xacro", ".sdf")


def drive(
    name: RobotName,
    port: Annotated[int, typer.Option(help="TCP port on 127.0.0.1; 0 for any free port.")] = 8080,
    save: Annotated[
        Path | None, typer.Option(help="Write what was guessed to this YAML file, to change it.")
    ] = None,
    backend: BackendName = DEFAULT,
) -> None:
    """Puts a robot on the ground and lets you drive it in the browser.

    For a model (URDF, xacro, SDF), it guesses the wheels, joints and gains, and prints what it
    guessed; --save writes that to a file, with which you call the command again. Ctrl-C ends it.
    """
    console = Console()
    try:
        required("deepsim_viewer", "view")
        config = _config(console, name, save)
        label = Path(name).stem
        with Backend(backend), staged_robot(config, label, tick=0.01) as robot:
            from deepsim_viewer import RobotViewer  # noqa: PLC0415 (of an extra)

            with RobotViewer(robot, port=port, label=robot.name) as shown:
                show(console, shown.viewer, shown.run, paused=False, opened=False)
    except MISTAKES as error:
        fail(console, error)


def _config(console: Console, name: str, save: Path | None) -> RobotConfig:
    """Returns the configuration of a robot, with guessed parts for a model, which it prints."""
    is_model = Path(name).suffix in _GUESSED
    description = ModelSpawner(name).description if is_model else None
    if not isinstance(description, ModelDescription):
        if save is not None:
            raise DeepSimError(f"--save takes a model (URDF, xacro, SDF), got {name}")
        return named_config(name)
    guess = guess_robot(name, description)
    for remark in guess.remarks:
        say(console, f"guessed {remark}")
    if save is None:
        say(console, f"to write it down: deepsim drive {name} --save {Path(name).stem}.yaml")
    else:
        source = os.path.relpath(name, save.absolute().parent)
        with save.open("x", encoding="utf-8") as file:  # never over a file that was changed
            file.write(replace(guess.config, source=source).to_yaml())
        say(console, f"wrote {save}; to drive it: deepsim drive {save}")
    return replace(guess.config, source=standing(description))
