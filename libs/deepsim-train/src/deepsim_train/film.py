# SPDX-License-Identifier: Apache-2.0
"""Pictures of episodes: films, as WebP or GIF by Pillow and as MP4 by PyAV, and maps of paths."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import Enum
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Euler, Pose
from deepsim_sync import CameraView, DeepSimError, UnsupportedError, World

from .episodes import COLUMNS, Episode
from .task_code import TaskError
from .tasks.task import Task

FPS = 25
"""Frames per simulated second, unless somebody asks for another rate."""
_ORBIT_RATE = 0.25  # of `--camera orbit` [rad/s]
_PITCH, _YAW, _FIELD = 0.3, math.radians(140.0), 0.8  # of a camera that follows a model [rad]
_SIZE = 960, 540  # [pixels]


class VideoFormat(str, Enum):
    """The formats of a film."""

    WEBP = "webp"
    GIF = "gif"
    MP4 = "mp4"
    NONE = "none"


class Film:
    """A film of a world, with pictures at equal intervals of simulated time.

    Args:
        world: World to film.
        camera: Free camera, which may follow a model or orbit, or name of a camera sensor.
        path: Output file: .webp, .gif or .mp4.
        number: Number of the world, if there are several; None shows all side by side.
        fps: Frames per simulated second; a GIF shows at most 50.

    Attributes:
        path: Output file.
        frames: The pictures taken so far, each (height, width, 3) uint8, RGB.
        fps: Frames per simulated second.

    Raises:
        UnsupportedError: The simulator takes no pictures.
        DeepSimError: The extra for .mp4 is not installed.
    """

    def __init__(
        self,
        world: World,
        camera: CameraView | str,
        path: Path,
        number: int | None = 0,
        *,
        fps: int = FPS,
    ) -> None:
        if world.simulator.cameras is None:
            raise UnsupportedError(
                f"{type(world.simulator).__name__} takes no pictures to film: use --video none"
            )
        if path.suffix == ".mp4" and not (find_spec("imageio") and find_spec("av")):
            raise DeepSimError(
                f"{path} needs an extra: pip install --find-links dist 'deepsim[video]'"
            )
        self.path = path
        self.frames: list[NDArray[np.uint8]] = []
        self._world = world
        self._camera = camera
        self._number = number
        self.fps = fps
        self._start = 0.0

    def shoot(self) -> None:
        """Takes a picture if one is due.

        If several are due because a step was long, the previous picture fills the gap.
        """
        now = float(self._world.time[self._number or 0])
        if not self.frames:
            self._start = now
        due = math.floor((now - self._start) * self.fps + 1e-6) + 1 - len(self.frames)
        if due > 0:
            self.frames += self.frames[-1:] * (due - 1)
            self.frames.append(self._picture())

    def _picture(self) -> NDArray[np.uint8]:
        if self._number is not None:
            return self._world.render(self._camera, self._number)
        worlds = len(self._world)
        side = math.ceil(math.sqrt(worlds))
        pictures = np.stack([self._world.render(self._camera, world) for world in range(worlds)])
        grid = np.zeros((math.ceil(worlds / side) * side, *pictures.shape[1:]), dtype=np.uint8)
        grid[:worlds] = pictures
        return np.vstack(
            [np.hstack(list(grid[row : row + side])) for row in range(0, len(grid), side)]
        )

    def write(self) -> None:
        """Writes the film; at least one picture must have been taken."""
        writers = {".webp": _write_webp, ".gif": _write_gif, ".mp4": _write_mp4}
        writers[self.path.suffix](self.path, self.frames, self.fps)


def open_film(
    world: World,
    task: Task,
    folder: Path,
    agent: str,
    video: VideoFormat | None = None,
    *,
    camera: str | None = None,
    width: int | None = None,
    fps: int = FPS,
    number: int = 0,
) -> Film | None:
    """Returns the film of a task that the options of a command ask for, or None.

    Args:
        world: World to film.
        task: Its camera counts if no other is chosen.
        folder: Folder of the film.
        agent: Model that a moving camera follows.
        video: Format; None for WebP if simulator and task have a camera, else no film.
        camera: ``follow``, ``orbit``, ``worlds`` or a camera sensor.
        width: Width of the picture [pixels]; None for the camera's own.
        fps: Frames per simulated second.
        number: Number of the world, unless the film shows all.

    Raises:
        TaskError: The task has no camera, and none is chosen.
        UnsupportedError: The simulator takes no pictures.
    """
    if video is None:
        films = world.simulator.cameras is not None and (task.film or camera)
        video = VideoFormat.WEBP if films else VideoFormat.NONE
    if video is VideoFormat.NONE:
        return None
    view = chosen_camera(world, task.film, camera, agent, width)
    if view is None:
        raise TaskError(
            f"{task.name} has no camera of a film: give its Task film=..., or use --camera follow"
        )
    shown = None if camera == "worlds" else number
    return Film(world, view, folder / f"film.{video.value}", shown, fps=fps)


def chosen_camera(
    world: World, film: CameraView | str | None, choice: str | None, model: str, width: int | None
) -> CameraView | str | None:
    """Returns the camera of a film by the options of a command.

    Args:
        world: World to film.
        film: Camera of the task, which counts if there is no choice.
        choice: ``follow``, ``orbit``, ``worlds`` for the task's in a film of all worlds, or the
            name of a camera sensor.
        model: Model that a moving camera follows, if the task's does not follow another.
        width: Width of the picture [pixels]; None for the camera's own.

    Raises:
        UnknownEntityError: There is no such model.
        DeepSimError: The camera is a sensor, which has a size of its own.
    """
    if choice in ("follow", "orbit"):
        film = film if isinstance(film, CameraView) else CameraView(Pose(), _FIELD, *_SIZE)
        film = film if film.follows is not None else _following(world, film, model)
        film = replace(film, orbit_rate=_ORBIT_RATE if choice == "orbit" else 0.0)
    elif choice not in (None, "worlds"):
        film = choice
    if choice == "worlds" and isinstance(film, CameraView):
        width = (width or film.width) // math.ceil(math.sqrt(len(world)))
    if width is None or film is None:
        return film
    if isinstance(film, str):
        raise DeepSimError(f"camera sensor {film!r} has a width of its own: leave out --width")
    return replace(film, width=width, height=2 * round(width * film.height / film.width / 2))


def _following(world: World, view: CameraView, model: str) -> CameraView:
    """Returns a view of a model from the front, at an angle, as far as its links need."""
    middle = world.models.select([model]).pose[0, 0, :3]
    links = world.links.select(world.entities.links.within(model)).pose[0, :, :3]
    radius = 0.3 + float(np.linalg.norm(links - middle, axis=1).max(initial=0.0))
    away = 1.6 * radius / math.tan(_FIELD / 2)
    level, up = away * math.cos(_PITCH), away * math.sin(_PITCH)
    place = (-level * math.cos(_YAW), -level * math.sin(_YAW), float(middle[2]) + up)
    pose = Pose(place, Euler(0.0, _PITCH, _YAW))
    return replace(view, pose=pose, horizontal_fov=_FIELD, follows=model)


def _write_webp(path: Path, frames: list[NDArray[np.uint8]], fps: int) -> None:
    from PIL import Image  # noqa: PLC0415 (of an extra)

    first, *others = (Image.fromarray(frame) for frame in frames)
    durations = np.diff(np.rint(np.arange(len(frames) + 1) * 1000 / fps)).astype(int).tolist()
    options = {"duration": durations, "loop": 0, "quality": 60, "method": 2}
    first.save(path, save_all=True, append_images=others, **options)


def _write_gif(path: Path, frames: list[NDArray[np.uint8]], fps: int) -> None:
    from PIL import Image  # noqa: PLC0415 (of an extra)

    # One palette without dithering for all frames: static parts do not flicker, the file is small.
    sample = np.concatenate(frames[:: max(1, len(frames) // 8)])
    palette = Image.fromarray(sample).quantize(128)
    images = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    hundredths = np.diff(np.rint(np.arange(len(frames) + 1) * 100 / fps)).astype(int)
    durations = (10 * hundredths).tolist()
    images[0].save(path, save_all=True, append_images=images[1:], duration=durations, loop=0)


def _write_mp4(path: Path, frames: list[NDArray[np.uint8]], fps: int) -> None:
    import imageio.v3 as imageio  # noqa: PLC0415 (of an extra)

    imageio.imwrite(path, np.stack(frames), plugin="pyav", codec="h264", fps=fps)


_AGENT = COLUMNS.index("agent")
_COLORS = ("tab:red", "tab:blue", "tab:orange", "tab:purple", "tab:cyan", "tab:pink")


def write_map(
    path: Path, picture: NDArray[np.uint8] | None, task: Task, episodes: list[Episode]
) -> None:
    """Writes a PNG that shows the agents' paths on a picture from above, or on a grid.

    Axes and picture agree on the ground, z = 0. A dot marks the end of each path.

    Args:
        path: Output file.
        picture: Picture from the task's ``map_view``, (height, width, 3) RGB; None for a grid.
        task: The task, which has the view and the name.
        episodes: Episodes to draw.

    Raises:
        TaskError: The task has no ``map_view``.
    """
    # Imported here because it takes half a second.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (see above)
    from matplotlib.figure import Figure  # noqa: PLC0415 (see above)

    view = task.map_view
    if view is None:
        raise TaskError(f"{task.name} has no map_view: give its Task one to draw a map")
    x, y, height = view.pose.position
    half_width = height * math.tan(view.horizontal_fov / 2)
    half_height = half_width * view.height / view.width
    figure = Figure(figsize=(9, 9 * view.height / view.width + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(
        title=task.name, xlabel="x [m]", ylabel="y [m]", aspect="equal",
        xlim=(x - half_width, x + half_width), ylim=(y - half_height, y + half_height),
    )  # fmt: skip
    if picture is None:
        axes.grid()
    else:
        axes.imshow(picture, extent=(*axes.get_xlim(), *axes.get_ylim()))
    agents = dict.fromkeys(row[_AGENT] for episode in episodes for row in episode.rows)
    for agent, color in zip(agents, cycle(_COLORS), strict=False):
        for episode in episodes:
            line = episode.line(agent)
            label = agent if episode is episodes[0] else None
            axes.plot(*line.T, color=color, linewidth=1.4, alpha=0.9, label=label)
            axes.plot(*line[-1:].T, "o", color=color, markersize=5)
    if agents:
        axes.legend(loc="lower right")
    figure.savefig(path, dpi=110)
