# SPDX-License-Identifier: Apache-2.0
"""One test for each fault that UDE 0.1.5 has, in the order of the documentation."""

from __future__ import annotations

import gc
import importlib.metadata
import logging
import socket
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
import trustme

from deepsim_envs.ude import (
    CallTimeoutError,
    ConnectionLostError,
    Limits,
    RefusedError,
    RemoteEnvironment,
    RemoteEnvironmentError,
    ServerError,
    ServerStartError,
    UDEEnvironment,
    UDEServer,
)
from deepsim_envs.ude.codec import encode
from deepsim_envs.ude.messages import SERVICE, UNARY, Message, to_bytes

TOKEN = "correct horse battery staple"
OURS = ("deepsim-ude-version", "1")


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def tls(authority):
    """What a server needs for TLS on loopback."""
    issued = authority.issue_cert("127.0.0.1", "localhost")
    return {
        "certificate": b"".join(pem.bytes() for pem in issued.cert_chain_pems),
        "private_key": issued.private_key_pem.bytes(),
    }


def test_1_pickled_objects_are_not_read_by_the_server(
    golden, start, raw, connect, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # where the object would make a folder
    server = start()
    answer = raw(server).call("step", golden("pickle"))
    assert answer.status == 400
    assert "never read" in answer.text
    assert not list(tmp_path.iterdir())
    assert connect(server).reset()


def test_1_pickled_objects_are_not_read_by_the_client(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = grpc.server(ThreadPoolExecutor(4))
    answer = grpc.unary_unary_rpc_method_handler(
        lambda request, context: to_bytes(Message(content=golden("pickle")))
    )
    methods = dict.fromkeys(UNARY, answer)
    hostile.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    port = hostile.add_insecure_port("127.0.0.1:0")
    hostile.start()
    try:
        with pytest.raises(ServerError, match="pickled objects are never read"):
            RemoteEnvironment(port=port, timeout=10.0)
    finally:
        hostile.stop(None).wait()
    assert not list(tmp_path.iterdir())


def test_2_a_server_is_on_loopback_only(start):
    server = start()
    assert server.address == f"127.0.0.1:{server.port}"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10.0):
        pass
    with pytest.raises(ConnectionRefusedError):  # another address of this machine
        socket.create_connection(("127.0.0.2", server.port), timeout=10.0)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_2_other_addresses_need_tls_and_a_token(make_count, tls, host):
    for options in ({}, {"token": TOKEN}, tls):
        with pytest.raises(ServerStartError, match="TLS and a token"):
            UDEServer(make_count(), host=host, **options)
    UDEServer(make_count(), host=host, token=TOKEN, **tls).stop()


def test_2_a_client_goes_to_other_machines_by_tls_only():
    with pytest.raises(ValueError, match="needs TLS"):
        RemoteEnvironment("192.168.1.5", token=TOKEN)


def test_3_a_token_without_tls_is_asked_for(start, connect, raw):
    server = start(token=TOKEN)
    for metadata in ((), (("rpc-auth-header", "wrong" * 4),)):
        with pytest.raises(grpc.RpcError) as caught:
            raw(server).call("reset", metadata=metadata)
        assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
    with pytest.raises(RefusedError, match="valid token") as caught:
        connect(server)
    assert caught.value.status == 401
    assert connect(server, token=TOKEN).reset()


def test_3_tls_and_a_token_let_in_who_has_both(start, connect, tls, authority):
    server = start(token=TOKEN, **tls)
    root = authority.cert_pem.bytes()
    remote = connect(server, token=TOKEN, root_certificates=root)
    remote.reset(seed=1)
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0
    with pytest.raises(RefusedError, match="valid token"):
        connect(server, root_certificates=root)
    with pytest.raises(ConnectionLostError, match="both sides use TLS"):
        connect(server, token=TOKEN, timeout=0.5)
    other = trustme.CA().cert_pem.bytes()
    with pytest.raises(ConnectionLostError):  # somebody else's server
        connect(server, token=TOKEN, root_certificates=other, timeout=0.5)


def test_4_the_token_counts_in_any_slot_and_only_as_a_whole(start, raw):
    client = raw(start(token=TOKEN))
    others = [("a", "1"), ("b", "2"), ("rpc-auth-header", "x")]
    assert client.call("reset", metadata=[*others, ("rpc-auth-header", TOKEN)]).status == 200
    assert client.call("reset", metadata=[("rpc-auth-header", TOKEN), *others]).status == 200
    for wrong in (TOKEN[:-1], TOKEN + "x", "", TOKEN.upper()):
        with pytest.raises(grpc.RpcError) as caught:
            client.call("reset", metadata=[("rpc-auth-header", wrong)])
        assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED


def test_4_a_short_token_is_refused(make_count):
    with pytest.raises(ValueError, match="at least 16 characters"):
        UDEServer(make_count(), token="secret")


def test_5_a_message_that_is_too_large_hurts_its_sender_only(start, raw, connect):
    server = start(limits=Limits(message_bytes=100_000))
    with pytest.raises(grpc.RpcError) as caught:
        raw(server).send("step", bytes(200_000))
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert connect(server).reset()


def test_6_malformed_messages_hurt_their_sender_only(start, raw, connect):
    server = start()
    client = raw(server)
    malformed = b"\xff\xff", b"", Message(content=b"nonsense"), Message(500, "no")
    for method in UNARY:
        for message in malformed:
            data = message if isinstance(message, bytes) else to_bytes(message)
            assert client.send(method, data).status == 400, (method, message)
    remote = connect(server)
    remote.reset(seed=1)
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0


def test_6_wrong_actions_hurt_their_sender_only(start, raw, connect):
    server = start()
    client, remote = raw(server), connect(server)
    remote.reset(seed=1)
    wide = ["wide" * 250_000, *range(90_000)]  # numpy would make 360 GB of it
    values = "text", wide, [float("nan")], [1e9], {}
    wrong = [None, 3, *({"a": value, "b": [1]} for value in values), {"nobody": [1]}, {1: [1]}]
    for actions in wrong:
        assert client.call("step", encode(actions)).status == 400, str(actions)[:80]
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0


def test_5_strangers_who_say_nothing_hold_no_place(start, connect):
    server = start(token=TOKEN, max_clients=1)
    over = threading.Event()

    def silence():
        over.wait()
        yield b""

    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        step = channel.stream_unary(f"/{SERVICE}/step")
        calls = [step.future(silence(), timeout=60.0) for _ in range(15)]
        try:
            assert connect(server, token=TOKEN).reset()
            assert {call.code() for call in calls} == {grpc.StatusCode.UNAUTHENTICATED}
        finally:
            over.set()


def test_7_a_client_may_not_close_the_environment(start, connect, raw):
    server = start()
    assert raw(server).call("close").status == 403
    remote = connect(server)
    with pytest.raises(RefusedError, match="may not close"):
        remote.close_server()
    assert not server.environment.environment.area.closed
    assert remote.reset()


def test_7_a_close_that_is_allowed_is_answered_before_the_server_stops(start, connect):
    server = start(allow_close=True)
    connect(server).close_server()
    assert server.wait(20.0)
    assert server.environment.environment.area.closed


def test_7_a_close_that_nobody_waits_for_stops_the_server_too(start, raw, monkeypatch):
    server, closing, gone = start(allow_close=True), threading.Event(), threading.Event()
    monkeypatch.setattr(
        server.environment.environment.area, "close", lambda: closing.set() or gone.wait(20.0)
    )
    call = raw(server).begin("close")
    assert closing.wait(20.0)
    call.cancel()
    gone.set()
    assert server.wait(20.0)


def test_8_what_a_callback_raised_stays_with_the_server(start, connect, caplog, capfd):
    server = start()
    remote = connect(server)

    def fail():
        raise RuntimeError("the password is swordfish")

    server.environment.environment.area.on_info = fail
    with caplog.at_level(logging.ERROR), pytest.raises(RemoteEnvironmentError) as caught:
        remote.reset()
    assert "swordfish" not in str(caught.value)
    assert "Count.get_info raised in tick 0: see the server's log" in str(caught.value)
    assert "swordfish" in caplog.text
    assert "swordfish" not in capfd.readouterr().err
    server.environment.environment.area.on_info = dict
    assert remote.reset()


def test_9_versions_are_told_and_compared(start, raw):
    client = raw(start())
    assert client.call("reset").status == 200  # as UDE's own clients
    answer = client.call("reset", metadata=[("deepsim-ude-version", "2")])
    assert answer.status == 426
    assert "speaks version 1, not '2'" in answer.text
    for metadata in ([OURS], [OURS, ("deepsim-client", "x" * 65)]):
        assert client.call("reset", metadata=metadata).status == 400
    for key in ("deepsim-request", "deepsim-seed"):
        named = [OURS, ("deepsim-client", "me"), (key, "-1")]
        assert client.call("reset", metadata=named).status == 400


def test_10_a_port_that_is_taken_is_an_error(make_count, start):
    taken = start()
    with pytest.raises(ServerStartError, match=f"cannot listen on 127.0.0.1:{taken.port}"):
        UDEServer(make_count(), port=taken.port).start()


def test_a_server_that_could_not_start_hears_of_nothing(make_count, start):
    taken = start()
    environment = UDEEnvironment(make_count())
    server = UDEServer(environment, port=taken.port)
    with pytest.raises(ServerStartError):
        server.start()
    alive = weakref.ref(server)
    del server
    gc.collect()
    assert alive() is None  # nothing of the environment's refers to it


def test_a_server_that_was_stopped_does_not_start_again(make_count):
    server = UDEServer(make_count(), port=0).start()
    server.stop()
    with pytest.raises(ServerStartError, match="was stopped: make a new one"):
        server.start()
    with pytest.raises(ServerStartError, match="was stopped"):
        server.__enter__()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), 2.0)


def test_11_a_step_that_hangs_has_a_deadline(start, connect):
    server = start(step_timeout=0.2)
    remote, other = connect(server, timeout=1.0), connect(server)
    remote.reset(seed=1)
    goes_on = threading.Event()
    server.environment.environment.area.on_info = lambda: {"is": goes_on.wait(20.0)}
    with pytest.raises(CallTimeoutError, match=r"no answer within 1 s"):
        remote.step({"a": [1], "b": [1]})
    with pytest.raises(ServerError, match=r"busy for 0.2 s") as caught:
        other.reset()
    assert caught.value.status == 504
    assert connect(server).observation_space
    goes_on.set()


def test_12_the_extra_needs_no_old_packages():
    lines = [line for line in importlib.metadata.requires("deepsim-envs") if "ude" in line]
    assert sorted(line.split()[0].split("<")[0].split(">")[0] for line in lines) == [
        "grpcio",
        "protobuf",
    ]


def test_12_pyarrow_is_not_imported():
    code = "import sys, deepsim_envs.ude; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("missing", ["grpc", "google.protobuf"])
def test_a_missing_extra_is_named(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "try: import deepsim_envs.ude\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install --find-links dist 'deepsim-envs[ude]'" in done.stdout


class Crowded(grpc.RpcError):
    """What gRPC answers where a server has all calls that it may have."""

    def code(self):
        return grpc.StatusCode.RESOURCE_EXHAUSTED

    def details(self):
        return "Concurrent RPC limit exceeded!"


def test_5_a_call_into_a_crowd_is_tried_again(start, connect, monkeypatch):
    """Strangers who come at the same instant make a client wait, not fail; a step is made once."""
    remote = connect(start())
    remote.reset(seed=1)
    calls = remote._connection._calls
    refusals = [Crowded(), Crowded()]

    class Door:
        def with_call(self, *args, **options):
            if refusals:
                raise refusals.pop()
            return step.with_call(*args, **options)

    step = calls["step"]
    monkeypatch.setitem(calls, "step", Door())
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0  # actions so far
    assert not refusals
