# SPDX-License-Identifier: Apache-2.0
"""The help of commands: sections, examples and guides; and the completion of tasks' names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from deepsim_train.tasks.search import find_tasks, installed_tasks


class Group(TyperGroup):
    """A group of commands; its help has a section for each ``rich_help_panel`` of them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Prints the help and succeeds if there are no arguments."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Runs a command; a message about an argument begins without the name of an exception."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands in sections; long lines are wrapped, never cut off."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            section = command.rich_help_panel
            title = section if isinstance(section, str) else "Commands"  # else typer's Default
            sections.setdefault(title, []).append((name, command.get_short_help_str(limit=1000)))
        width = max(len(name) for rows in sections.values() for name, _ in rows)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in rows])


def group(purpose: str, **settings: Any) -> typer.Typer:
    """Returns an empty group of commands with this help and further settings of typer."""
    names = {"help_option_names": ["-h", "--help"]}
    return typer.Typer(
        cls=Group, rich_markup_mode=None, help=purpose, context_settings=names, **settings
    )


def example(command: str, page: str) -> str:
    """Returns the end of a command's help: a command line, and a guide in the folder docs."""
    return f"\b\nExample: deepsim {command}\nGuide:   docs/{page}, of the repository"


def complete_task(incomplete: str) -> list[tuple[str, str]]:
    """Returns the names of tasks that begin so, with their summaries, for the shell."""
    tasks = (*find_tasks(Path()), *installed_tasks())
    return [(task.name, task.summary) for task in tasks if task.name.startswith(incomplete)]
