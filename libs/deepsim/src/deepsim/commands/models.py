# SPDX-License-Identifier: Apache-2.0
"""The `deepsim models` commands."""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import typer
from rich.console import Console
from rich.text import Text

from deepsim.output import fields, print_json, say, table
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Bounds,
    GazeboXMLLoader,
    MjcfModel,
    ModelDescription,
    ModelFormatError,
    ModelFormatWarning,
    ModelIndex,
    ModelInfo,
    SearchPath,
    WorldDescription,
)
from deepsim_sync import Control, DeepSimError, Entities, SpawnRequest

from .options import AsJson, fail

models = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Finds, shows and checks models in the formats of Gazebo and ROS.",
)

_CONFIG = "model.config"
_SUFFIXES = (".sdf", ".world", ".urdf")
_CODE = ".xacro"
_MJCF = ".xml"

Folders = Annotated[
    list[Path] | None,
    typer.Option(
        "--path",
        "-p",
        exists=True,
        file_okay=False,
        help="A folder to search before GAZEBO_MODEL_PATH and GAZEBO_RESOURCE_PATH.",
    ),
]


@models.command("list")
def list_models(path: Folders = None, as_json: AsJson = False) -> None:
    """Lists the models on the search path."""
    index = ModelIndex(path or ())
    console = Console()
    rows: list[dict[str, str]] = []
    for name in index:
        try:
            info = index[name]
        except ModelFormatError as error:
            rows.append({"model": name, "error": str(error)})
        else:
            rows.append({"model": name, "title": info.title, "version": info.version})
    if as_json:
        print_json(rows)
    elif rows:
        console.print(table([_row(row) for row in rows]))
    elif path:
        say(console, "no models: a folder of models has folders with a model.config in it")
    else:
        say(console, "no models: give folders by --path, or set GAZEBO_MODEL_PATH")


def _row(row: dict[str, str]) -> dict[str, Any]:
    if "error" in row:
        error = Text(f"error: {row['error']}", "red")
        return {"model": row["model"], "title": error, "version": None}
    return row


@models.command()
def show(
    name: Annotated[str, typer.Argument(help="A model: its name (model://NAME), folder or file.")],
    path: Folders = None,
    as_json: AsJson = False,
) -> None:
    """Shows the content and size of a model, and the files that it needs."""
    console = Console()
    folder = Path(name)
    if (folder / _CONFIG).is_file():
        name, path = folder.resolve().name, [folder.resolve().parent, *(path or ())]
    name = name.removeprefix("model://")
    search_path = SearchPath(path or ())
    index = ModelIndex(search_path)
    try:
        if folder.is_file():
            of_file = _mjcf_content if folder.suffix == _MJCF else _content
            facts = [("file", str(folder)), *of_file(folder, search_path)]
            needs = () if folder.suffix in (_CODE, _MJCF) else index.needs(folder)
        else:
            facts = [*_config(index[name]), *_content(index[name].folder, search_path)]
            needs = index.needs(name)
    except KeyError as error:
        fail(console, ModelFormatError(error.args[0]))
    except ModelFormatError as error:
        fail(console, error)
    files: dict[str, list[str]] = {"needs": [], "misses": []}
    for need in needs:
        files["needs" if need.path else "misses"].append(need.uri)
    if as_json:
        print_json({**dict(facts), **files})
        return
    console.print(fields([*facts, *((kind, uri) for kind, uris in files.items() for uri in uris)]))


def _config(info: ModelInfo) -> list[tuple[str, str]]:
    fields = {
        "model": info.title,
        "version": info.version,
        "file": str(info.file),
        "authors": ", ".join(info.authors),
        "about": info.description,
        "depends on": ", ".join(info.depends),
    }
    return [(field, value) for field, value in fields.items() if value]


def _content(path: Path, search_path: SearchPath) -> list[tuple[str, str]]:
    """Returns rows about the content of a folder or file; only the error if it cannot be loaded."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            world = _load_world(path, GazeboXMLLoader(search_path))
            bounds = [Bounds.of(model) for model in world.models]
        except ModelFormatError as error:
            return [("fails", str(error))]
    reasons = "\n".join(str(each.message) for each in said)
    approximated = [("approximated", reasons)] if reasons else []
    if len(world.models) != 1:
        counts = {"models": len(world.models), "lights": len(world.lights)}
        return [*((kind, str(count)) for kind, count in counts.items() if count), *approximated]
    (model,) = world.models
    return [
        ("links", str(sum(1 for _ in model.all_links()))),
        ("joints", str(sum(1 for _ in model.all_joints()))),
        ("moves", "no, it is static" if model.static else f"yes, it weighs {_mass(model):g} kg"),
        ("size", _size(bounds[0])),
        *approximated,
    ]


def _mjcf_content(path: Path, search_path: SearchPath) -> list[tuple[str, str]]:
    """Returns rows about the content of an MJCF file; only the error if it cannot be built."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            model = MjcfModel(path, search_path=search_path)
            entities, controls = _spawned(model)
        except DeepSimError as error:
            return [("fails", _line(error))]
    reasons = [("approximated", _line(each.message)) for each in said]
    keyframes = [key.get("name") or "''" for key in ElementTree.fromstring(model.text).iter("key")]
    return [
        ("links", str(len(entities.links))),
        ("joints", str(len(entities.joints))),
        ("controls", ", ".join(each.name for each in controls) or "none"),
        ("keyframes", ", ".join(keyframes) or "none"),
        *reasons,
    ]


def _spawned(model: MjcfModel) -> tuple[Entities, Sequence[Control]]:
    """Builds a model in MuJoCo, and returns its entities and controls."""
    simulator = MujocoSimulator()
    try:
        simulator.spawn([SpawnRequest(model, "model", Pose())])
        return simulator.entities, simulator.descriptions.controls.get("model", ())
    finally:
        simulator.close()


def _size(bounds: Bounds | None) -> str:
    if bounds is None:
        return "nothing in it collides"
    if not all(map(math.isfinite, bounds.size)):
        return "without end, as it has a plane"
    return " x ".join(f"{length:.4g}" for length in bounds.size) + " m"


def _mass(model: ModelDescription) -> float:
    """Returns the total mass of all links [kg]."""
    return sum(link.inertial.mass for _, link, _ in model.all_links() if link.inertial)


@models.command()
def check(
    folder: Annotated[
        Path, typer.Argument(exists=True, help="Folder of models and worlds, or a file.")
    ],
    path: Folders = None,
    reasons: Annotated[bool, typer.Option(help="Print all reasons, not only the first.")] = False,
    as_json: AsJson = False,
) -> None:
    """Loads models, builds them in MuJoCo, and prints a line for each.

    A model may use any other model in the folder. The exit status is 1 if any fails.
    In a folder, models in xacro are skipped, because xacro can run code.
    """
    console = Console()
    found = list(_models_below(folder)) if folder.is_dir() else [folder]
    folder = folder if folder.is_dir() else folder.parent
    shelves = dict.fromkeys(model.parent for model in found if model.is_dir())
    search_path = [folder, *(path or ()), *shelves]
    counts: Counter[Verdict] = Counter()
    rows: list[dict[str, object]] = []
    for model in found:
        result = _check_model(model, search_path)
        counts[result.verdict] += 1
        place, verdict = str(model.relative_to(folder)), result.verdict.value
        rows.append({"model": place, "verdict": verdict, "reasons": list(result.reasons)})
        if as_json:
            continue
        first = ""
        if result.reasons and not reasons:
            more = f" (and {len(result.reasons) - 1} more)" if len(result.reasons) > 1 else ""
            first = f": {result.reasons[0]}{more}"
        say(console, f"{place}{first}", verdict, 13)
        for reason in result.reasons if reasons else ():
            say(console, f"{'':13}{reason}")
    if as_json:
        print_json(rows)
    else:
        found_of = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
        say(console, f"{counts.total()} checked: {found_of}")
    if counts[Verdict.FAILS]:
        raise typer.Exit(1)


class Verdict(Enum):
    """The outcome of a check."""

    LOADS = "loads"
    APPROXIMATED = "approximated"
    SKIPPED = "skipped"
    FAILS = "fails"


@dataclass(frozen=True)
class ModelCheck:
    """The result of checking one model or world.

    Attributes:
        path: The file or folder.
        verdict: The outcome.
        reasons: Warnings about approximations, or the reason for a failure.
    """

    path: Path
    verdict: Verdict
    reasons: tuple[str, ...] = ()


def _models_below(folder: Path) -> Iterator[Path]:
    """Yields folders with a `model.config`, and SDF, world and URDF files outside them, by name.

    Symbolic links to folders are not followed.
    """
    for place, folders, files in os.walk(folder):
        folders.sort()
        if _CONFIG in files:
            folders.clear()
            yield Path(place)
            continue
        yield from (Path(place, file) for file in sorted(files) if file.endswith(_SUFFIXES))


def _check_model(path: Path, search_path: Sequence[Path]) -> ModelCheck:
    """Loads a model or world, computes its bounds, and builds it in MuJoCo."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ModelFormatWarning)
        try:
            if _is_code(path):
                return ModelCheck(path, Verdict.SKIPPED, ("its file is xacro, which is code",))
            if path.suffix == _MJCF and path.is_file():
                _spawned(MjcfModel(path, search_path=search_path))
            else:
                _build(_load_world(path, GazeboXMLLoader(search_path)))
        except DeepSimError as error:
            return ModelCheck(path, Verdict.FAILS, (_line(error),))
    reasons = tuple(dict.fromkeys(_line(each.message) for each in said))
    return ModelCheck(path, Verdict.APPROXIMATED if reasons else Verdict.LOADS, reasons)


def _build(world: WorldDescription) -> None:
    """Computes the bounds of all models of a world, and builds them in MuJoCo."""
    for model in world.models:
        Bounds.of(model, Pose())
    MujocoSimulator(world).close()


def _load_world(path: Path, loader: GazeboXMLLoader) -> WorldDescription:
    """Loads a file or a model's folder as a world.

    A folder holds a model, or only a light, such as the `sun` of Gazebo.

    Raises:
        ModelFormatError: The file or folder cannot be read.
    """
    if not path.is_dir():
        description = loader.load(path)
        if isinstance(description, ModelDescription):
            return WorldDescription(models=(description,))
        return description
    uri = escape(f"file://{path.absolute()}")
    return loader.load_world(
        f"<sdf version='1.7'><world name='w'><include><uri>{uri}</uri></include></world></sdf>"
    )


def _is_code(path: Path) -> bool:
    """Returns whether a folder's `model.config` names a xacro file."""
    return path.is_dir() and ModelIndex([path.parent])[path.name].file.suffix == _CODE


def _line(message: object) -> str:
    return " ".join(str(message).split())
