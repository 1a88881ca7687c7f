# SPDX-License-Identifier: Apache-2.0
"""`deepsim doctor`: examines this machine, and shows how to install missing parts."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import typer
from rich.console import Console
from rich.markup import escape

from .findings import Finding, findings
from .options import AsJson

_COLORS = {"ok": "green", "missing": "yellow", "broken": "red"}


def doctor(as_json: AsJson = False) -> None:
    """Examines this machine for software that DeepSim can use.

    It checks versions, rendering, ROS, Gazebo, ports and extras. The exit status is 1 only if
    something that DeepSim needs is broken.
    """
    console = Console(file=sys.stdout)
    found: list[Finding] = []
    for finding in findings():
        found.append(finding)
        if not as_json:
            _print_finding(console, finding)
    if as_json:
        print(json.dumps([asdict(finding) for finding in found], indent=2))
    if any(finding.outcome == "broken" for finding in found):
        raise typer.Exit(1)


def _print_finding(console: Console, finding: Finding) -> None:
    color = _COLORS[finding.outcome]
    line = f"[{color}]{finding.outcome:8}[/{color}]{escape(finding.name)}: {escape(finding.found)}"
    if finding.remedy:
        end = "" if finding.found.endswith("?") else "."
        line += f"{end} Type: [bold]{escape(finding.remedy)}[/bold]"
    console.print(line, highlight=False, soft_wrap=True)
