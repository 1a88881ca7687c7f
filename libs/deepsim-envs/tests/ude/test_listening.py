# SPDX-License-Identifier: Apache-2.0
"""Who listens to a side channel: one stream of each client, which is told of its end."""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from deepsim_envs.ude.codec import Limits
from deepsim_envs.ude.messages import SERVICE, STREAM, UNARY, Message, from_bytes, to_bytes

TOKEN = "correct horse battery staple"


class Proxy:
    """Passes all on to a server, but ends the first streams by what a test has put there."""

    def __init__(self, port):
        self.ends = queue.Queue()
        self.streams = 0
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        handlers = {name: grpc.unary_unary_rpc_method_handler(self._unary(name)) for name in UNARY}
        handlers[STREAM] = grpc.unary_stream_rpc_method_handler(self._stream)
        self._server = grpc.server(
            ThreadPoolExecutor(16),
            handlers=(grpc.method_handlers_generic_handler(SERVICE, handlers),),
        )
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def close(self):
        self._server.stop(0.0).wait()
        self._channel.close()

    def _unary(self, name):
        call = self._channel.unary_unary(f"/{SERVICE}/{name}")

        def passed(request, context):
            metadata = _ours(context.invocation_metadata())
            answer, done = call.with_call(request, metadata=metadata, timeout=20.0)
            context.send_initial_metadata(done.initial_metadata())
            return answer

        return passed

    def _stream(self, request, context):
        self.streams += 1
        try:
            end = self.ends.get_nowait()
        except queue.Empty:
            end = None
        if isinstance(end, grpc.StatusCode):
            context.abort(end, "so the test says")
        if end is not None:
            yield to_bytes(end)
            return
        call = self._channel.unary_stream(f"/{SERVICE}/{STREAM}")
        stream = call(request, metadata=_ours(context.invocation_metadata()))
        context.add_callback(stream.cancel)
        context.send_initial_metadata(stream.initial_metadata())
        try:
            yield from stream
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())


def _ours(metadata):
    return [(key, value) for key, value in metadata if key.startswith("deepsim-")]


@pytest.fixture
def proxy(start):
    made = Proxy(start().port)
    yield made
    made.close()


def named(name, *more):
    return [("deepsim-ude-version", "1"), ("deepsim-client", name), *more]


def is_cut_off(stream):
    """Reads a stream to its end; whether the server cancelled it."""
    with pytest.raises(grpc.RpcError) as caught:
        list(stream)
    return caught.value.code() is grpc.StatusCode.CANCELLED


def test_a_client_that_comes_back_takes_over_at_once(start, raw):
    """Its old connection is still open, as far as the server knows."""
    server = start(token=TOKEN)
    token = ("rpc-auth-header", TOKEN)
    old = raw(server).stream(named("me", token))
    new = raw(server).stream(named("me", token))
    assert is_cut_off(old)
    server.environment.environment.area.side_channel.send("lap", 1.5)
    sent = from_bytes(next(new), Limits()).content
    assert (sent.key, sent.value) == ("lap", 1.5)
    new.cancel()


def test_it_may_come_back_often(start, raw):
    server = start()
    streams = [raw(server).stream(named("me"))]
    for _ in range(20):
        streams.append(raw(server).stream(named("me")))
        assert is_cut_off(streams[-2])
    streams[-1].cancel()


def test_nobody_else_takes_over(start, raw):
    """Neither without the token, nor by another name, nor by another connection without one."""
    server = start(token=TOKEN)
    token = ("rpc-auth-header", TOKEN)
    mine, unnamed = raw(server), raw(server)
    streams = [mine.stream(named("me", token)), unnamed.stream([token])]
    thief = raw(server)
    with pytest.raises(grpc.RpcError) as caught:
        list(thief.stream(named("me", ("rpc-auth-header", TOKEN[::-1]))))
    assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
    others = [thief.stream(named("you", token)), thief.stream([token])]
    server.environment.environment.area.side_channel.send("lap", 1.5)
    for stream in streams + others:
        assert from_bytes(next(stream), Limits()).content.value == 1.5
        stream.cancel()


@pytest.mark.parametrize(
    "end",
    [
        *[pytest.param(code, id=code.name) for code in grpc.StatusCode if code.name != "OK"],
        *[pytest.param(Message(status, "not now"), id=str(status)) for status in (429, 500, 503)],
    ],
)
def test_whatever_ends_a_stream_it_listens_again(proxy, connect, listen, end):
    for _ in range(2):
        proxy.ends.put(end)
    remote = connect(proxy)  # which waits until it listens
    listener = listen(remote.side_channel)
    remote.side_channel.send("up", 1, store_local=True)
    assert listener.next() == ("up", 1)
    assert proxy.streams == 3
    assert remote.reset()
