# SPDX-License-Identifier: Apache-2.0
"""Steps over gRPC, beside bare gRPC with the same bytes; processor time of client and server.

UDE's own client is played by a call that sends the bytes which that client sends, with no metadata;
what it spends on encoding is not counted. The package `ude` itself needs Python 3.8.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import grpc
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from report import write

from deepsim import Agents, Area, Environment, GazeboXMLLoader, MujocoSimulator, World
from deepsim_envs.ude import RemoteEnvironment, serve
from deepsim_envs.ude.codec import encode
from deepsim_envs.ude.messages import SERVICE, Message, to_bytes

EMPTY = '<sdf version="1.7"><world name="w"/></sdf>'


class Echo(Area):
    """Two agents that see what they did."""

    agents = Agents(["a", "b"], Box(-9.0, 9.0, (8,), np.float32), Box(-1.0, 1.0, (8,), np.float32))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._last = np.zeros((len(world), 2, 8), np.float32)

    def reset(self, worlds: NDArray[np.intp]) -> None:
        self._last[worlds] = 0.0

    def act(self, actions: Any) -> None:
        self._last[:] = actions

    def observe(self) -> NDArray[np.float32]:
        return self._last.copy()

    def reward(self) -> NDArray[np.float64]:
        return np.ones(self._last.shape[:2])


def echo(worlds: int = 1) -> Environment:
    simulator = MujocoSimulator(GazeboXMLLoader().load_world(EMPTY), worlds=worlds)
    return Environment(Echo(World(simulator)))


def actions(environment: Environment, seed: int) -> Mapping[str, NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(-1, 1, 8).astype(np.float32) for name in environment.slots}


def bare(stack: ExitStack, request: bytes, answer: bytes) -> Callable[[], object]:
    """A call that is answered by bytes that are there already."""
    handler = grpc.unary_unary_rpc_method_handler(lambda _request, _context: answer)
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {"step": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    stack.callback(lambda: server.stop(0).wait())
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


def unnamed(stack: ExitStack) -> tuple[Callable[[], object], bytes, bytes]:
    """UDE's own client: the call, and the bytes of one request and its answer."""
    environment = echo()
    requests = [
        to_bytes(Message(content=encode(dict(actions(environment, seed))))) for seed in range(8)
    ]
    server = stack.enter_context(serve(environment, port=0))
    channel = stack.enter_context(grpc.insecure_channel(server.address))
    channel.unary_unary(f"/{SERVICE}/reset")(to_bytes(Message()))
    step = channel.unary_unary(f"/{SERVICE}/step")
    given = cycle(requests)
    return (lambda: step(next(given), timeout=60.0)), requests[0], step(requests[0])


def main() -> None:
    """Measures all ways in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=16)
    options = parser.parse_args()
    least: dict[str, float] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        call, request, answer = unnamed(stack)
        many = f"{options.worlds} worlds"
        ways = {
            "bare gRPC": bare(stack, request, answer),
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
    figures: dict[str, Any] = {"bytes of a request": len(request), "of an answer": len(answer)}
    for name, spent in least.items():
        figures[f"{name}, us per call"] = 1e6 * spent
    for name, spent in least.items():
        worlds = options.worlds if many in name else 1
        figures[f"{name}, per world / bare gRPC"] = spent / worlds / least["bare gRPC"]
    write("ude", figures, "grpcio", "numpy")


if __name__ == "__main__":
    main()
