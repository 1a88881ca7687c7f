# SPDX-License-Identifier: Apache-2.0
"""Masters that other machines reach: TLS, users, and what each user may do."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import trustme
from transport_worlds import running, wait

from deepsim_mujoco import MujocoSimulator
from deepsim_sync import World
from deepsim_transport import (
    Access,
    AccessError,
    Certificates,
    Credentials,
    FollowedSimulator,
    Master,
    NoAnswerError,
    PhysicsServer,
    RemoteSimulator,
    Topic,
    Transport,
    TransportError,
)
from deepsim_transport.messages import Point, WorldControl
from deepsim_transport.rows import pack

ADA, WALL = "correct horse", "battery staple"


def own_address():
    """An address of this machine that others reach, or that of loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return "127.0.0.1"
        return probe.getsockname()[0]


HOST = own_address()


def issued(authority, folder):
    """Certificates of an authority, in a new folder."""
    folder.mkdir()
    leaf = authority.issue_cert(HOST, "localhost")
    authority.cert_pem.write_to_path(folder / "authority.pem")
    leaf.private_key_pem.write_to_path(folder / "private_key.pem")
    chain = b"".join(pem.bytes() for pem in leaf.cert_chain_pems)
    (folder / "certificate.pem").write_bytes(chain)
    return Certificates.of_folder(folder)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Of the master, of a process that it trusts, and of one that it does not know."""
    folder = tmp_path_factory.mktemp("certificates")
    ours, theirs = trustme.CA(), trustme.CA()
    return (
        issued(ours, folder / "master"),
        issued(ours, folder / "ours"),
        issued(theirs, folder / "theirs"),
    )


@pytest.fixture(scope="module")
def guarded(certificates):
    """A master that listens at all addresses of this machine."""
    access = Access(certificates[0], operators={"ada": ADA}, viewers={"wall": WALL})
    with Master("0.0.0.0", 0, access=access) as made:
        yield made


@pytest.fixture
def enter(guarded, certificates):
    """Opens sessions of users with the certificates of our authority."""
    opened = []

    def enter(user, password):
        credentials = Credentials(certificates[1], user, password)
        opened.append(Transport(HOST, guarded.port, credentials=credentials))
        return opened[-1]

    yield enter
    for each in opened:
        each.close()


def test_whoever_is_refused_reads_why(guarded, certificates):
    """A wrong password, a foreign certificate on either side, none at all, and nobody there."""
    _, ours, theirs = certificates
    trusting = replace(theirs, authority=ours.authority)
    mismatched = replace(ours, private_key=theirs.private_key)
    cases = [
        (Credentials(ours, "ada", "wrong horse"), guarded.port, "refuses the user 'ada'"),
        (Credentials(ours, "eve", ADA), guarded.port, "refuses the user 'eve'"),
        (Credentials(theirs, "ada", ADA), guarded.port, "not trusted by .*theirs"),
        (Credentials(trusting, "ada", ADA), guarded.port, "refuses TLS with .*theirs"),
        (Credentials(mismatched, "ada", ADA), guarded.port, "no certificate with its key"),
        (None, guarded.port, "wants TLS and a user"),
        (Credentials(ours, "ada", ADA), 1, "no master answers"),
    ]

    def said(credentials, port):
        with pytest.raises(TransportError) as found:
            Transport(HOST, port, credentials=credentials)
        return found

    with ThreadPoolExecutor(len(cases)) as pool:  # each of them takes seconds to be refused
        found = list(pool.map(lambda case: said(*case[:2]), cases))
    for error, (_, _, words) in zip(found, cases, strict=True):
        error.match(words)
    assert [error.type for error in found] == [*[AccessError] * 6, NoAnswerError]


def test_a_master_without_tls_is_named(master, certificates):
    """Credentials are not sent in the clear."""
    with pytest.raises(AccessError, match="does not answer by TLS"):
        Transport(master.host, master.port, credentials=Credentials(certificates[1], "ada", ADA))


def test_an_operator_simulates_and_a_viewer_looks_on(enter):
    """A viewer follows the world, and can neither command nor publish anything."""
    operator, viewer = enter("ada", ADA), enter("wall", WALL)
    with running(PhysicsServer(MujocoSimulator(), operator, paused=True)) as server:
        followed = FollowedSimulator(viewer)
        world = World(followed)
        assert world.time.tolist() == [0.0]
        assert "world_stats" in viewer.topics()
        RemoteSimulator(operator).step(5)
        world.tick()
        assert world.time[0] == pytest.approx(5 * server.simulator.timestep)
        for forbidden in (
            lambda: viewer.command("control", WorldControl(steps=3), timeout=0.2),
            lambda: RemoteSimulator(viewer, timeout=0.2).step(3),
        ):
            with pytest.raises(NoAnswerError, match="'wall' may not ask there"):
                forbidden()
        assert server.simulator.time[0] == pytest.approx(5 * server.simulator.timestep)
        followed.close()


def test_what_a_viewer_publishes_reaches_nobody(enter):
    """It hears itself alone, and all that operators publish."""
    operator, viewer, other = enter("ada", ADA), enter("wall", WALL), enter("ada", ADA)
    heard, seen = [], []
    subscribers = [
        other.subscribe("point", Point, heard.append),
        viewer.subscribe("point", Point, seen.append),
    ]
    forged, real = viewer.advertise("point", Point), operator.advertise("point", Point)
    wait(lambda: len(other.topics().get("point", Topic()).subscribers) == 2)
    wait(lambda: real.has_subscribers)
    forged.publish(Point(1.0))
    with pytest.raises(NoAnswerError):  # the master has taken all that the viewer sent before
        viewer.request("ask", b"", timeout=0.2)
    real.publish(Point(2.0))
    wait(lambda: heard and len(seen) == 2)
    assert heard == [Point(2.0)]
    assert seen == [Point(1.0), Point(2.0)]
    for subscriber in subscribers:
        subscriber.close()


def test_the_topic_for_looking_takes_no_other_calls(enter):
    """Whoever sends them."""
    operator = enter("ada", ADA)
    with running(PhysicsServer(MujocoSimulator(), operator, paused=True)) as server:
        said = operator.request("ask", pack({"call": "step", "n": 3}))
        assert b"'step' is none of the calls that change nothing" in said
        assert server.simulator.time.tolist() == [0.0]


@pytest.mark.parametrize(
    ("users", "words"),
    [
        ({"operators": {}}, "needs an operator"),
        ({"operators": {"ada": "short"}}, "password of 'ada' must have 8"),
        ({"operators": {"ada": "with:a colon"}}, "no colon"),
        ({"operators": {"a b": ADA}}, "name has letters"),
        ({"operators": {"ada": ADA}, "viewers": {"ada": WALL}}, "at once"),
        ({"operators": {"ada": 5}}, "must be like"),
        ({"operators": {"ada": ADA}, "admins": {}}, "must be like"),
        ([], "must be like"),
    ],
)
def test_users_that_cannot_be_are_refused(certificates, tmp_path, users, words):
    """Files of users are checked as users from code are."""
    file = tmp_path / "users.json"
    file.write_text(json.dumps(users))
    with pytest.raises(TransportError, match=words):
        Access.of_files(certificates[0].authority.parent, file)


def test_the_environment_has_credentials(certificates, monkeypatch):
    """All three variables or none; passwords are not printed."""
    folder = str(certificates[1].authority.parent)
    assert Credentials.of_environment() is None
    monkeypatch.setenv("DEEPSIM_CERTIFICATES", folder)
    monkeypatch.setenv("DEEPSIM_USER", "ada")
    with pytest.raises(TransportError, match="DEEPSIM_PASSWORD too"):
        Credentials.of_environment()
    monkeypatch.setenv("DEEPSIM_PASSWORD", ADA)
    found = Credentials.of_environment()
    assert found == Credentials(certificates[1], "ada", ADA)
    assert ADA not in repr(found)
    monkeypatch.setenv("DEEPSIM_CERTIFICATES", f"{folder}/none")
    with pytest.raises(TransportError, match=r"none/authority.pem does not exist"):
        Credentials.of_environment()
