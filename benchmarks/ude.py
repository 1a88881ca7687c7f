# SPDX-License-Identifier: Apache-2.0
"""Steps over gRPC, beside bare gRPC with the same bytes; processor time of client and server.

UDE's own client is played by a call that sends the bytes of that client, without metadata; its
encoding is not counted. With ``--original``, a Python that has the package `ude` (3.8 and
pyarrow 3.0 are its own), the client itself drives UDE's server and ours, each in its own process.
It also drives a server of answers that are there already: a floor, below which no Python server
of gRPC comes. UDE's task only returns its actions; with ``--same-task``, a Python that has both
`ude` and deepsim (3.11 and pyarrow 10), UDE's server also steps the environment that ours does.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from threading import Event
from time import perf_counter, process_time
from typing import Any

import grpc
from report import write
from ude_task import actions, echo

from deepsim_envs.ude import RemoteEnvironment, serve
from deepsim_envs.ude.codec import encode
from deepsim_envs.ude.messages import SERVICE, STREAM, Message, to_bytes

ORIGINAL = str(Path(__file__).with_name("ude_original.py"))


def canned(stack: ExitStack, answers: Mapping[str, bytes], port: int = 0) -> int:
    """Starts a server of answers that are there already, and a stream that says nothing."""
    over = Event()

    def silence(_request: bytes, _context: Any) -> Iterator[bytes]:
        over.wait()
        yield b""

    def handler(answer: bytes) -> Any:
        return grpc.unary_unary_rpc_method_handler(lambda _request, _context: answer)

    handlers = {name: handler(answer) for name, answer in answers.items()}
    handlers[STREAM] = grpc.unary_stream_rpc_method_handler(silence)
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    bound: int = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    stack.callback(lambda: server.stop(0).wait())
    stack.callback(over.set)
    return bound


def bare(stack: ExitStack, request: bytes, answer: bytes) -> Callable[[], object]:
    """A call that is answered by bytes that are there already."""
    port = canned(stack, {"step": answer})
    channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{port}"))
    call = channel.unary_unary(f"/{SERVICE}/step")
    return lambda: call(request, timeout=60.0)


def local(worlds: int) -> Callable[[], object]:
    environment = echo(worlds)
    environment.reset(0)
    given = cycle([actions(environment, seed) for seed in range(8)])
    return lambda: environment.step(next(given))


def remote(stack: ExitStack, host: str, worlds: int) -> Callable[[], object]:
    environment = echo(worlds)
    given = cycle([actions(environment, seed) for seed in range(8)])
    server = stack.enter_context(serve(environment, host=host, port=0))
    client = stack.enter_context(RemoteEnvironment(host, server.port))
    client.reset(0)
    return lambda: client.step(next(given))


def unnamed(stack: ExitStack) -> tuple[Callable[[], object], bytes, dict[str, bytes]]:
    """UDE's own client: the call, the bytes of one request, and those of answers by call."""
    environment = echo()
    requests = [
        to_bytes(Message(content=encode(dict(actions(environment, seed))))) for seed in range(8)
    ]
    server = stack.enter_context(serve(environment, port=0))
    channel = stack.enter_context(grpc.insecure_channel(server.address))
    opening = channel.unary_unary(f"/{SERVICE}/reset")(to_bytes(Message()))
    step = channel.unary_unary(f"/{SERVICE}/step")
    given = cycle(requests)
    answers = {"reset": opening, "step": step(requests[0])}
    return (lambda: step(next(given), timeout=60.0)), requests[0], answers


class Driven:
    """A server in a process of its own, driven by UDE's client in another one.

    Args:
        stack: Ends both.
        server: The command of the server, which prints a line when it listens at the port.
        client: The command of the client.
        port: The port.
    """

    def __init__(self, stack: ExitStack, server: list[str], client: list[str], port: int) -> None:
        self._processes = []
        for command in (server, client):
            process = stack.enter_context(
                Popen([*command, str(port)], stdin=PIPE, stdout=PIPE, text=True)
            )
            self._processes.append(process)
            self._line(process)
        self.wall = float("inf")

    def turn(self, steps: int) -> None:
        """Makes steps, and keeps the least time of one."""
        stdin = self._processes[1].stdin
        assert stdin is not None
        stdin.write(f"{steps}\n")
        stdin.flush()
        self.wall = min(self.wall, float(self._line(self._processes[1])) / steps)

    def spent(self) -> float:
        """Returns the processor time of both processes so far [s]."""
        ticks = 0
        for process in self._processes:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def _line(process: Popen[str]) -> str:
        assert process.stdout is not None
        return process.stdout.readline()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def drive(port: int, worlds: int) -> None:
    """Makes as many steps as each line asks for, by our client."""
    environment = echo(worlds)
    given = [actions(environment, seed) for seed in range(8)]
    with RemoteEnvironment(port=port) as client:
        client.reset(0)
        print("ready", flush=True)
        for line in sys.stdin:
            start = perf_counter()
            for step in range(int(line)):
                client.step(given[step % 8])
            print(perf_counter() - start, flush=True)


def beside_the_original(python: str, options: argparse.Namespace) -> dict[str, float]:
    """Compares servers and clients of both, each in a process of its own."""
    theirs, ours = [python, ORIGINAL], [sys.executable, __file__]
    many = [*ours, "--worlds", str(options.worlds)]
    first = "UDE's client, UDE's server"
    commands = {
        first: ([*theirs, "serve"], [*theirs, "drive"]),
        "UDE's client, our server": ([*ours, "--serve"], [*theirs, "drive"]),
        "UDE's client, answers that are there": ([*ours, "--canned"], [*theirs, "drive"]),
        "our client, our server": ([*ours, "--serve"], [*ours, "--drive"]),
        f"our client, our server, {options.worlds} worlds": (
            [*many, "--serve"],
            [*many, "--drive"],
        ),
    }
    same = "UDE's client, UDE's server, our environment"
    if options.same_task is not None:
        both = [options.same_task, ORIGINAL, "serve-deepsim"]
        commands[same] = both, [*theirs, "drive"]
    figures: dict[str, float] = {}
    with ExitStack() as stack:
        ways = {name: Driven(stack, *pair, free_port()) for name, pair in commands.items()}
        for way in ways.values():
            way.turn(options.steps)  # makes threads and plans
        before = {name: way.spent() for name, way in ways.items()}
        for _ in range(options.rounds):
            for way in ways.values():
                way.turn(options.steps)
        for name, way in ways.items():
            worlds = options.worlds if "worlds" in name else 1
            figures[f"{name}, steps per second"] = worlds / way.wall
            spent = (way.spent() - before[name]) / options.rounds / options.steps / worlds
            figures[f"{name}, client and server, us per step"] = 1e6 * spent
    pairs = [(name, first) for name in commands if name != first]
    if same in commands:
        pairs.append(("UDE's client, our server", same))
    for name, base in pairs:
        ratio = figures[f"{name}, steps per second"] / figures[f"{base}, steps per second"]
        figures[f"{name} / {base}, steps per second"] = ratio
    return figures


def main() -> None:
    """Measures all ways in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=None)
    parser.add_argument("--original", metavar="PYTHON")
    parser.add_argument("--same-task", metavar="PYTHON")
    for role in ("--serve", "--drive", "--canned"):
        parser.add_argument(role, metavar="PORT", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive is not None:
        return drive(options.drive, options.worlds or 1)
    if options.canned is not None:
        with ExitStack() as stack:
            _, _, answers = unnamed(stack)
            print(canned(stack, answers, options.canned), flush=True)
            sys.stdin.read()
        return None
    if options.serve is not None:
        with serve(echo(options.worlds or 1), port=options.serve):
            print(options.serve, flush=True)
            sys.stdin.read()
        return None
    options.worlds = options.worlds or 16
    least: dict[str, float] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        call, request, answers = unnamed(stack)
        many = f"{options.worlds} worlds"
        ways = {
            "bare gRPC": bare(stack, request, answers["step"]),
            "UDE's client": call,
            "RemoteEnvironment": remote(stack, "127.0.0.1", 1),
            "RemoteEnvironment, Unix socket": remote(stack, f"unix:{folder}/one", 1),
            f"RemoteEnvironment, Unix socket, {many}": remote(
                stack, f"unix:{folder}/many", options.worlds
            ),
            "Environment": local(1),
            f"Environment, {many}": local(options.worlds),
        }
        for _ in range(options.rounds):
            for name, way in ways.items():
                start = process_time()
                for _ in range(options.steps):
                    way()
                spent = (process_time() - start) / options.steps
                least[name] = min(least.get(name, spent), spent)
    figures: dict[str, Any] = {"bytes of a request": len(request)}
    figures["of an answer"] = len(answers["step"])
    for name, spent in least.items():
        figures[f"{name}, us per call"] = 1e6 * spent
    for name, spent in least.items():
        worlds = options.worlds if many in name else 1
        figures[f"{name}, per world / bare gRPC"] = spent / worlds / least["bare gRPC"]
    if options.original is not None:
        figures |= beside_the_original(options.original, options)
    write("ude", figures, "grpcio", "numpy")
    return None


if __name__ == "__main__":
    main()
