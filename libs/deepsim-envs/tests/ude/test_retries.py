# SPDX-License-Identifier: Apache-2.0
"""A connection that breaks after the server has stepped: the step is not made twice."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import pytest

from deepsim_envs.ude import ConnectionLostError, RemoteEnvironment


class Cable:
    """Forwards connections to a port, until it holds answers back, and is cut."""

    def __init__(self, port):
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open = threading.Event()
        self._open.set()
        self._pairs = []
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self):
        """From now on nothing that the server says arrives."""
        self._open.clear()

    def cut(self):
        """Breaks all connections; new ones work again."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                with suppress(OSError):  # the other end may have gone already
                    end.shutdown(socket.SHUT_RDWR)
        self._open.set()

    def close(self):
        self._listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._to))
            self._pairs.append((near, far))
            for args in ((near, far, False), (far, near, True)):
                threading.Thread(target=self._forward, args=args, daemon=True).start()

    def _forward(self, source, target, holds):
        with source, target:
            try:
                while data := source.recv(65536):
                    if holds:
                        self._open.wait(20.0)
                    target.sendall(data)
            except OSError:
                pass


@pytest.fixture
def cable(start):
    server = start()
    cable = Cable(server.port)
    yield server, cable
    cable.close()


def cut_after(server, cable):
    """Cuts the cable once the environment has made the next step, before its result arrives."""
    area = server.environment.environment.area
    stepped = threading.Event()
    area.on_info = lambda: stepped.set() or {}
    cable.hold()

    def cut():
        assert stepped.wait(20.0)
        cable.cut()

    return cut


def test_a_step_is_made_once(cable, together):
    server, wire = cable
    with RemoteEnvironment(port=wire.port, timeout=20.0) as remote:
        remote.reset(seed=1)
        for number in range(1, 4):
            cut = cut_after(server, wire)
            result, _ = together(lambda: remote.step({"a": [1], "b": [1]}), cut)
            assert result.observation["a"][1] == number


def test_a_reset_is_made_once(cable, together):
    server, wire = cable
    area = server.environment.environment.area
    with RemoteEnvironment(port=wire.port, timeout=20.0) as remote:
        remote.reset(seed=1)
        remote.step({"a": [1], "b": [1]})
        cut = cut_after(server, wire)
        resets = []
        area.reset = lambda: resets.append(1)
        together(remote.reset, cut)
        assert resets == [1]


def test_without_a_way_to_tell_retries_a_step_is_not_retried(cable, together):
    """As with a server of UDE's own."""
    server, wire = cable
    with RemoteEnvironment(port=wire.port, timeout=20.0) as remote:
        remote.reset(seed=1)
        remote._connection.is_ours = False
        cut = cut_after(server, wire)
        error, _ = together(lambda: remote.step({"a": [1], "b": [1]}), cut)
        assert isinstance(error, ConnectionLostError)
        remote._connection.is_ours = True
        assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 2.0
