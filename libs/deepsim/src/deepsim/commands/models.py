# SPDX-License-Identifier: Apache-2.0
"""The `deepsim models` commands."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from deepsim.output import fields, print_json, say, table
from deepsim_mujoco.model_check import (
    CODE,
    CONFIG,
    MJCF,
    Verdict,
    check_model,
    mjcf_facts,
    model_facts,
    models_below,
)
from deepsim_spawn import ModelFormatError, ModelIndex, ModelInfo, SearchPath

from .command_help import example, group
from .options import AsJson, fail

models = group("Finds, shows and checks models: SDF, URDF, xacro, MJCF.")

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


@models.command("list", epilog=example("models list --path .", "sdf-on-mujoco.md"))
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


@models.command(epilog=example("models show robot.urdf", "sdf-on-mujoco.md"))
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
            of_file = mjcf_facts if folder.suffix == MJCF else model_facts
            facts = [("file", str(folder)), *of_file(folder, search_path)]
            needs = () if folder.suffix in (CODE, MJCF) else index.needs(folder)
        else:
            facts = [*_config(index[name]), *model_facts(index[name].folder, search_path)]
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


@models.command(epilog=example("models check . --reasons", "sdf-on-mujoco.md"))
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
