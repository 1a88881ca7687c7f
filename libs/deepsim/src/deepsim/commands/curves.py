# SPDX-License-Identifier: Apache-2.0
"""`deepsim curves`: compares training runs over their seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import print_json, say, table
from deepsim_sync import DeepSimError
from deepsim_train.training.curves import curves_of, write_curves
from deepsim_train.training.progress import REWARD

from .options import AsJson, fail


def curves(
    folders: Annotated[list[Path], typer.Argument(help="Folders of training runs: runs/walk/*.")],
    column: Annotated[str, typer.Option(help="A column of progress.csv.")] = REWARD,
    out: Annotated[Path, typer.Option(help="The picture: PNG, SVG or PDF.")] = Path("curves.png"),
    as_json: AsJson = False,
) -> None:
    """Compares training runs: the mean over seeds, in a band of one standard deviation.

    Runs with equal settings but their seeds are one curve, up to the end of the shortest. A run
    that was repeated with the same seed counts once.
    """
    console = Console(stderr=as_json)
    try:
        found = curves_of(folders, column)
        write_curves(out, found, column)
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)
    rows = [curve.end(column) for curve in found]
    if as_json:
        print_json(rows)
    else:
        short = [{k: f"{v:.4g}" if isinstance(v, float) else v for k, v in r.items()} for r in rows]
        console.print(table(short, right=(column, "deviation")))
    for folder in (folder for curve in found for folder in curve.repeated):
        say(console, f"left out {folder}: another run has the same settings and seed")
    say(console, f"wrote {out}")
