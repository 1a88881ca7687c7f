# SPDX-License-Identifier: Apache-2.0
"""A task that counts, servers of it, and a client that says whatever a test wants."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
from gymnasium.spaces import Box

from deepsim_envs import AbstractAgent, AreaInterface, Environment
from deepsim_envs.ude import RemoteEnvironment, SideChannel, UDEServer
from deepsim_envs.ude.codec import Limits, encode
from deepsim_envs.ude.messages import Message, from_bytes, to_bytes
from deepsim_envs.ude.side_channel import AbstractSideChannel
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator


class Counter(AbstractAgent):
    """Observes the sum and the number of its actions; is done when the sum reaches 100."""

    total = 0.0
    acted = 0

    def on_episode_begin(self) -> None:
        self.total, self.acted = float(self.world.rng.integers(10)), 0

    def get_next_state(self) -> Any:
        return [self.total, self.acted]

    def on_action_received(self, action: Any) -> None:
        self.total += float(action[0])
        self.acted += 1
        self.add_reward(float(action[0]))
        if self.total >= 100.0:
            self.end_episode()


class Count(AreaInterface):
    """Counters; `on_info` is called once in each step and reset, where a test may wait or raise."""

    def __init__(self, names: Sequence[str]) -> None:
        self.agents = [Counter(name) for name in names]
        self.side_channel = SideChannel()
        self.on_info: Callable[[], Any] = dict
        self.closed = False

    @property
    def observation_space(self) -> Any:
        return {agent.name: Box(-np.inf, np.inf, (2,), np.float64) for agent in self.agents}

    @property
    def action_space(self) -> Any:
        return {agent.name: Box(-1e6, 1e6, (1,), np.float64) for agent in self.agents}

    def get_agents(self) -> Sequence[AbstractAgent]:
        return self.agents

    def get_info(self) -> Any:
        return self.on_info()

    def reset(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


class RawClient:
    """Sends bytes as they are, with metadata as they are."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._channel = grpc.insecure_channel(
            f"{host}:{port}",
            options=[
                ("grpc.use_local_subchannel_pool", 1),
                ("grpc.max_send_message_length", -1),
            ],
        )
        self._numbers = itertools.count(1)

    def send(self, method: str, data: bytes, metadata: Any = (), timeout: float = 20.0) -> Message:
        call = self._channel.unary_unary(f"/ude_objects.UDEProto/{method}")
        answer = call(data, metadata=metadata, timeout=timeout)
        return from_bytes(answer, Limits())

    def call(self, method: str, content: Any = None, metadata: Any = (), **options: Any) -> Message:
        return self.send(method, to_bytes(Message(content=content)), metadata, **options)

    def begin(self, method: str, content: Any = None, metadata: Any = ()) -> Any:
        """A call whose answer is not waited for."""
        call = self._channel.unary_unary(f"/ude_objects.UDEProto/{method}")
        return call.future(to_bytes(Message(content=content)), metadata=metadata, timeout=20.0)

    def stream(self, metadata: Any = ()) -> Any:
        """The side channel's messages, as bytes; what is sent from now on is among them."""
        call = self._channel.unary_stream("/ude_objects.UDEProto/side_channel_stream")
        stream = call(to_bytes(Message()), metadata=metadata, timeout=60.0)
        stream.initial_metadata()  # comes when the server listens, or refuses
        return stream

    def step(self, metadata: Any = (), **actions: float) -> Message:
        content = encode({name: [number] for name, number in actions.items()})
        return self.call("step", content, metadata)

    def close(self) -> None:
        self._channel.close()


class Listener:
    """Keeps what it is told of."""

    def __init__(self) -> None:
        self.heard: queue.Queue[tuple[str, Any]] = queue.Queue()

    def on_received(self, side_channel: Any, key: str, value: Any) -> None:
        self.heard.put((key, value))

    def next(self) -> tuple[str, Any]:
        return self.heard.get(timeout=20.0)


@pytest.fixture
def listen() -> Callable[..., Listener]:
    """Registers an observer that keeps what it is told of."""

    def listen(channel: AbstractSideChannel, key: str | None = None) -> Listener:
        listener = Listener()
        channel.register(listener, key)
        return listener

    return listen


@pytest.fixture
def golden() -> Callable[[str], bytes]:
    """Bytes that pyarrow 3.0.0 wrote, as UDE 0.1.5 uses it."""
    folder = Path(__file__).with_name("golden")
    return lambda name: folder.joinpath(f"{name}.bin").read_bytes()


@pytest.fixture
def make_count() -> Iterator[Callable[..., Environment]]:
    """Makes the environment of counters with these names, in a world of its own."""
    with ExitStack() as stack:

        def make(names: Sequence[str] = "ab", **options: Any) -> Environment:
            world = World(TableSimulator(timestep=0.125))
            for name in names:
                world.spawn(TableModel(), name, Pose())
            with world:
                environment = Environment(Count(names), **options)
            stack.callback(environment.close)
            return environment

        yield make


@pytest.fixture
def start(make_count: Callable[..., Environment]) -> Iterator[Callable[..., UDEServer]]:
    """Starts a server on any port; of counters "a" and "b", if not told of what."""
    with ExitStack() as stack:

        def start(environment: Any = None, **options: Any) -> UDEServer:
            served = make_count() if environment is None else environment
            return stack.enter_context(UDEServer(served, port=0, **options))

        yield start


@pytest.fixture
def connect() -> Iterator[Callable[..., RemoteEnvironment]]:
    """Connects to a server."""
    with ExitStack() as stack:

        def connect(server: UDEServer, **options: Any) -> RemoteEnvironment:
            options = {"timeout": 20.0, **options}
            return stack.enter_context(RemoteEnvironment(port=server.port, **options))

        yield connect


@pytest.fixture
def raw() -> Iterator[Callable[..., RawClient]]:
    """Connects a client that says anything."""
    with ExitStack() as stack:

        def connect(server: UDEServer, **options: Any) -> RawClient:
            client = RawClient(server.port, **options)
            stack.callback(client.close)
            return client

        yield connect


@pytest.fixture
def together() -> Callable[..., list[Any]]:
    """Runs functions at once; returns what each returned, or the error that it raised."""

    def run(*functions: Callable[[], Any]) -> list[Any]:
        results: list[Any] = [None] * len(functions)

        def fill(index: int) -> None:
            try:
                results[index] = functions[index]()
            except Exception as error:
                results[index] = error

        threads = [threading.Thread(target=fill, args=(index,)) for index in range(len(functions))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30.0)
            assert not thread.is_alive(), "a call hangs"
        return results

    return run
