# SPDX-License-Identifier: Apache-2.0
"""The `deepsim scenes` command, also installed as `gzscenic`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
from rich.console import Console
from rich.progress import track
from typer.core import TyperCommand

from deepsim.output import say
from deepsim_envs.software import software
from deepsim_scenes import (
    ModelDownloads,
    Scene,
    load_scenario,
    read_models,
    sample_settled,
)
from deepsim_scenes.files import MODELS, models_of_scenes, write_whole_scene
from deepsim_scenes.language.scenario import parse_parameters
from deepsim_scenes.record import SceneRecord
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError

from .command_help import example, group
from .falsify import falsify_task
from .options import BackendName, fail, stoppable, without_effect

_PARAM = ("-p", "--param")


def scenes(
    context: typer.Context,
    scenario: Annotated[
        Path, typer.Argument(help="A Scenic file. It is a program that runs with your rights.")
    ],
    models: Annotated[
        Path, typer.Argument(help="YAML list of the models that the scenario may place.")
    ],
    out: Annotated[
        Path,
        typer.Argument(
            help="Output folder; each scene gets a folder in it: 000, 001, ..., all share `models`."
        ),
    ],
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Number of scenes.")] = 1,
    seed: Annotated[
        int, typer.Option("-s", "--seed", min=0, help="The same seed gives the same files.")
    ] = 0,
    load: Annotated[
        Path | None,
        typer.Option(help="Use this Scenic module of the models, written by --dump."),
    ] = None,
    dump: Annotated[
        Path | None, typer.Option(help="Write the Scenic module of the models to this new file.")
    ] = None,
    noplt: Annotated[bool, typer.Option("--noplt", help="Draw no plots.")] = False,
    param: Annotated[
        list[str] | None,
        typer.Option(
            *_PARAM,
            metavar="NAME VALUE",
            help="Replace a global parameter of the scenario; the value is read as YAML.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", help="Replace the Scenic world model of the scenario."),
    ] = None,
    part: Annotated[
        str | None, typer.Option("--scenario", help="The modular scenario, if there are several.")
    ] = None,
    scenic: Annotated[
        int | None,
        typer.Option(
            min=2, max=3, help="Version of the language; by default 2 if it uses nothing of 3."
        ),
    ] = None,
    zoom: Annotated[float, typer.Option("-z", "--zoom", help="Zoom factor of the plots.")] = 1.0,
    settle: Annotated[
        float,
        typer.Option(
            min=0.0, help="Simulate each scene for this many seconds; reject it if a model moves."
        ),
    ] = 0.0,
    limit: Annotated[int, typer.Option(min=1, help="Greatest number of samples per scene.")] = 2000,
    path: Annotated[
        list[Path] | None,
        typer.Option("--path", exists=True, file_okay=False, help="A folder to search for models."),
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Download missing models, and keep them.")
    ] = False,
    backend: BackendName = DEFAULT,
    record: Annotated[
        Path | None, typer.Option(help="Write seed and objects to this file, for `verify`.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print all reasons for rejected samples.")
    ] = False,
) -> None:
    """Samples scenes from a Scenic scenario, and writes their worlds.

    Each scene gets a folder with a world, the poses of its models, and a plot. Existing files are
    neither overwritten nor deleted: if an output exists, the command fails. `deepsim scenes falsify
    -h` explains the search for scenes in which a policy fails.
    """
    console = Console(stderr=True)
    if noplt:
        without_effect(context, "without plots", "zoom")
    if not settle:
        without_effect(context, "without --settle", "backend")
    places = [out / f"{number:03d}" for number in range(count)]
    try:
        for place in (out / MODELS, *places, *([dump] if dump else [])):
            if place.exists():
                raise FileExistsError(f"{str(place)!r} exists: choose another place")
        if record and (load or model):
            raise ValueError("--record takes neither --load nor --model, which are programs")
        library = load.read_text(encoding="utf-8") if load else None
        compiled = load_scenario(
            scenario,
            read_models(models, path, ModelDownloads() if download else None),
            parameters=parse_parameters(param or ()),
            scenario=part,
            model=model,
            library=library,
            scenic=scenic,
        )
        say(console, f"{scenario}: {compiled.meaning}")
        if dump:
            dump.write_text(compiled.library, encoding="utf-8")
        rejected, drawn = Counter[str](), list[Scene]()
        with stoppable(), models_of_scenes(out, places), Backend(backend) as chosen:
            for number, place in track(
                list(enumerate(places)), "scenes", console=console, disable=count == 1
            ):
                scene, reasons = sample_settled(
                    compiled, chosen.open, seed, number, seconds=settle, limit=limit
                )
                rejected.update(reasons)
                drawn.append(scene)
                write_whole_scene(scene, place, None if noplt else zoom)
            if record:
                settings = {
                    "seed": seed, "limit": limit, "settle": settle, "part": part, "scenic": scenic,
                    "parameters": parse_parameters(param or ()),
                }  # fmt: skip
                SceneRecord.write(record, drawn, scenario, models, settings, software())
    except (DeepSimError, OSError, ImportError, ValueError) as error:
        fail(console, error)
    if verbose or rejected:
        for reason, times in rejected.most_common(None if verbose else 3):
            console.print(f"rejected {times} times: {reason}", highlight=False, markup=False)
    say(console, f"wrote {count} scenes to {out}")


_FALSIFY = typer.Typer(rich_markup_mode=None, add_completion=False)
_FALSIFY.command(
    epilog=example("scenes falsify clutter clutter/room.scenic --policy trained", "scenes.md")
)(falsify_task)


class ScenesCommand(TyperCommand):
    """A command that accepts ``-p NAME VALUE`` any number of times; `falsify` in it is another."""

    commands: ClassVar = {"falsify": typer.main.get_command(_FALSIFY)}

    def make_context(self, info_name: Any, args: list[str], *rest: Any, **options: Any) -> Any:
        """Returns the context of `falsify` if this is the first word."""
        if args[:1] == ["falsify"]:
            command = self.commands["falsify"]
            return command.make_context(f"{info_name} falsify", args[1:], *rest, **options)
        return super().make_context(info_name, args, *rest, **options)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Joins each name with its value, because a repeatable option takes one argument."""
        given, joined = [*args], []
        while given:
            word = given.pop(0)
            joined.append(word)
            if word in _PARAM and len(given) > 1:
                joined.append(f"{given.pop(0)}={given.pop(0)}")
        return super().parse_args(ctx, joined)


def main() -> None:
    """Runs the command under its other name, `gzscenic`."""
    alone = group("")
    alone.command("gzscenic", cls=ScenesCommand)(scenes)
    alone()
