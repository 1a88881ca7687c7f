# SPDX-License-Identifier: Apache-2.0
"""`deepsim serve`: serves a task to trainers in other processes, over UDE's protocol."""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.loading import load_task

from .options import BackendName, Root, TaskName, Worlds, fail, stoppable, without_effect


class _Step(str, Enum):
    WAIT_FOREVER = "wait_forever"
    PERIODIC = "periodic"


class _Reset(str, Enum):
    MANUAL = "manual"
    AUTO = "auto"


class _GameOver(str, Enum):
    ANY = "any"
    ALL = "all"


def _positive(value: float) -> float:
    if not value > 0.0:
        raise typer.BadParameter(f"must be > 0, got {value}")
    return value


def serve(
    context: typer.Context,
    name: TaskName = "",
    root: Root = Path(),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="TCP port; 0 for any free port.")
    ] = 3003,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; any but loopback needs TLS and a token."),
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="File with the token that clients must send."
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Certificate chain for TLS, PEM."),
    ] = None,
    private_key: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Private key of the certificate, PEM."),
    ] = None,
    step_mode: Annotated[
        _Step,
        typer.Option(help="Step when all agents have acted (wait_forever), or once per period."),
    ] = _Step.WAIT_FOREVER,
    period: Annotated[
        float, typer.Option(callback=_positive, help="Period of the steps in periodic mode, s.")
    ] = 1.0,
    reset_mode: Annotated[
        _Reset,
        typer.Option(help="Start episodes at a client's request (manual), or at once (auto)."),
    ] = _Reset.MANUAL,
    game_over: Annotated[
        _GameOver, typer.Option(help="In auto mode, end episodes when any or all agents are done.")
    ] = _GameOver.ANY,
    allow_close: Annotated[
        bool, typer.Option("--allow-close", help="Let clients close the task and end the server.")
    ] = False,
    worlds: Worlds = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first episode.")] = 0,
    backend: BackendName = DEFAULT,
) -> None:
    """Serves a task to trainers in other processes, until Ctrl-C.

    Trainers may run on other machines; they use the protocol of UDE, the Unified Distributed
    Environment. With several worlds, red_car/3 is the agent red_car in world 3.
    """
    if step_mode is _Step.WAIT_FOREVER:
        without_effect(context, "in the mode wait_forever", "period")
    if reset_mode is _Reset.MANUAL:
        without_effect(context, "in the mode manual", "game_over")
    console = Console(file=sys.stdout, soft_wrap=True, highlight=False)
    try:
        ude = _ude("deepsim_envs.ude")
        if (certificate is None) != (private_key is None):
            raise typer.BadParameter("give both, or none", param_hint="--certificate/--private-key")
        unsafe = not _ude("deepsim_envs.ude.access").is_loopback(host)
        if unsafe and (certificate is None or token_file is None):
            raise typer.BadParameter(
                f"{host} can be reached from other machines, so it needs TLS and a token: "
                "give --certificate, --private-key and --token-file",
                param_hint="--host",
            )
        token = None if token_file is None else token_file.read_text(encoding="utf-8").strip()
        with Backend(backend):
            environment = load_task(name, root).environment(seed, worlds)
        with environment:
            server = ude.UDEServer(
                ude.UDEEnvironment(
                    environment, reset_mode=reset_mode.value, game_over=game_over.value
                ),
                host=host,
                port=port,
                token=token,
                certificate=certificate,
                private_key=private_key,
                step_mode=step_mode.value,
                period=period,
                allow_close=allow_close,
            )
            with stoppable(), suppress(KeyboardInterrupt), server:
                agents = ", ".join(environment.slots)
                console.print(f"serving {escape(name)} on {server.address}: agents {agents}")
                console.print("press Ctrl-C to stop")
                server.wait()
            console.print("stopped")
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)


def _ude(module: str) -> Any:
    """Imports a module of an extra that only this command needs."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise TaskError(str(error)) from error
