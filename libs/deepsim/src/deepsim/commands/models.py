# SPDX-License-Identifier: Apache-2.0
"""The `deepsim models` commands."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from deepsim_spawn import (
    Bounds,
    GazeboXMLLoader,
    ModelDescription,
    ModelFormatError,
    ModelIndex,
    ModelInfo,
    SearchPath,
)

from .model_check import CODE, CONFIG, Verdict, check_model, load_world, models_below
from .options import AsJson

models = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Finds, shows and checks models in the formats of Gazebo and ROS.",
)

_STYLES = {
    Verdict.LOADS: "green",
    Verdict.APPROXIMATED: "yellow",
    Verdict.SKIPPED: "dim",
    Verdict.FAILS: "red",
}

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
    table = Table(
        *(Column(head, overflow="fold") for head in ("model", "title", "version")), box=None
    )
    rows: list[dict[str, str]] = []
    for name in index:
        try:
            info = index[name]
        except ModelFormatError as error:
            table.add_row(Text(name), Text(f"error: {error}", "red"))
            rows.append({"model": name, "error": str(error)})
        else:
            table.add_row(*map(Text, (name, info.title, info.version)))
            rows.append({"model": name, "title": info.title, "version": info.version})
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    if len(index):
        console.print(table)
    elif path:
        console.print("no models: a folder of models has folders with a model.config in it")
    else:
        console.print("no models: give folders by --path, or set GAZEBO_MODEL_PATH")


@models.command()
def show(
    name: Annotated[str, typer.Argument(help="A model: its name (model://NAME), folder or file.")],
    path: Folders = None,
    as_json: AsJson = False,
) -> None:
    """Shows the content and size of a model, and the files that it needs."""
    console = Console()
    folder = Path(name)
    if (folder / CONFIG).is_file():
        name, path = folder.resolve().name, [folder.resolve().parent, *(path or ())]
    name = name.removeprefix("model://")
    search_path = SearchPath(path or ())
    index = ModelIndex(search_path)
    try:
        if folder.is_file():
            fields = [("file", str(folder)), *_content(folder, search_path)]
            needs = () if folder.suffix == CODE else index.needs(folder)
        else:
            info = index[name]
            needs = index.needs(name)
            fields = [*_config(info), *_content(info.folder, search_path)]
        table = Table.grid(Column(), Column(overflow="fold"), padding=(0, 2))
        for field, value in fields:
            table.add_row(Text(field, "bold"), Text(value))
        for need in needs:
            found = Text("needs") if need.path else Text("misses", "red")
            table.add_row(found, Text(need.uri))
    except KeyError as error:
        console.print(Text(f"error: {error.args[0]}"), soft_wrap=True)
        raise typer.Exit(1) from None
    except ModelFormatError as error:
        console.print(Text(f"error: {error}"), soft_wrap=True)
        raise typer.Exit(1) from None
    if as_json:
        files: dict[str, list[str]] = {"needs": [], "misses": []}
        for need in needs:
            files["needs" if need.path else "misses"].append(need.uri)
        print(json.dumps({**dict(fields), **files}, indent=2))
        return
    console.print(table)


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
            world = load_world(path, GazeboXMLLoader(search_path))
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
    found = list(models_below(folder)) if folder.is_dir() else [folder]
    folder = folder if folder.is_dir() else folder.parent
    shelves = dict.fromkeys(model.parent for model in found if model.is_dir())
    search_path = [folder, *(path or ()), *shelves]
    counts: Counter[Verdict] = Counter()
    rows: list[dict[str, object]] = []
    for model in found:
        result = check_model(model, search_path)
        counts[result.verdict] += 1
        if as_json:
            place = str(model.relative_to(folder))
            verdict = result.verdict.value
            rows.append({"model": place, "verdict": verdict, "reasons": list(result.reasons)})
            continue
        line = Text(f"{result.verdict.value:12} ", _STYLES[result.verdict])
        line.append(str(model.relative_to(folder)), "default")
        if result.reasons and not reasons:
            more = f" (and {len(result.reasons) - 1} more)" if len(result.reasons) > 1 else ""
            line.append(f": {result.reasons[0]}{more}", "default")
        console.print(line, soft_wrap=True)
        for reason in result.reasons if reasons else ():
            console.print(Text(f"{'':13}{reason}"), soft_wrap=True)
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        console.print(
            f"{counts.total()} checked: "
            + ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
        )
    if counts[Verdict.FAILS]:
        raise typer.Exit(1)
