# SPDX-License-Identifier: Apache-2.0
"""Sends a server messages that nobody should: random bytes, and damaged ones of every topic.

`python hostile.py 100000` prints as JSON how many were refused as unreadable, by those who sent
them and by the server, and the memory [MB] of the process after a tenth of them and after all.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import msgspec
import numpy as np

from deepsim_mujoco import MujocoSimulator
from deepsim_transport import Master, MessageError, PhysicsServer, RemoteSimulator, Transport
from deepsim_transport.messages import (
    EntityProp,
    EntityState,
    InsertEntity,
    JointProp,
    JointState,
    Mass,
    WorldControl,
    encode,
)
from deepsim_transport.rows import pack

BOX = (
    "<sdf version='1.7'><model name='box'><link name='link'><inertial><mass>1</mass></inertial>"
    "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link>"
    "</model></sdf>"
)
BOMB = (
    "<!DOCTYPE z [<!ENTITY a 'aaaaaaaaaa'>"
    + "".join(f"<!ENTITY {new} '{10 * f'&{old};'}'>" for old, new in pairwise("abcdefghi"))
    + "]><sdf version='1.7'><model name='&i;'><link name='link'/></model></sdf>"
)
LEAK = "<!DOCTYPE z [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><sdf version='1.7'>&a;</sdf>"
ODD = (None, True, -1, 0, 2**64 - 1, 1e308, "", "box", "../..", "*", [], [[]], {}, {"a": []}, "\0")
WIDE = np.array([0.0, -0.0, 1e308, -1e308, np.inf, -np.inf, np.nan, 5e-324, 2.0**63])

VALID: dict[str, tuple[bytes, ...]] = {
    "call": (
        pack({"call": "hello"}),
        pack({"call": "step", "n": 1}, {"worlds": np.array([0])}),
        pack({"call": "reset", "seeds": [3]}),
        pack({"call": "read", "columns": ["models.pose", "joints.position"]}),
        pack(
            {"call": "write", "batch": 1},
            {
                "models.pose": np.array([[0, 0, 1, 0, 0, 0, 1.0]]),
                "models.pose/rows": np.array([0]),
                "models.pose/worlds": np.array([0]),
            },
        ),
        pack({"call": "spawn", "models": [["other", BOX]]}, {"pose/0": np.ones((1, 7))}),
        pack({"call": "delete", "name": "other"}),
        pack({"call": "descriptions"}),
        pack({"call": "contacts.read", "world": 0}),
        pack({"call": "physics.factors", "name": "mass"}),
        pack(
            {"call": "physics.scale", "name": "mass", "links": ["box::link"]},
            {"factors": np.ones(1)},
        ),
        pack({"call": "camera_mounts.described", "camera": "eye"}),
        pack(
            {"call": "dynamics.jacobian", "link": "box::link", "joints": []}, {"point": np.zeros(3)}
        ),
        pack({"call": "cameras.render", "camera": [0, 0, 1, 0, 0, 0, 1, 1.0, 4, 3], "world": 0}),
        pack({"call": "sensors.infos"}),
        pack({"call": "sensors.read", "name": "scan"}),
        pack({"call": "spawn", "models": [["bomb", BOMB]]}, {"pose/0": np.ones((1, 7))}),
    ),
    "state": (b"",),
    "control": (encode(WorldControl(True)), encode(WorldControl(True, 7))),
    "set_entity_state": (encode(EntityState("box")),),
    "set_joint_state": (encode(JointState("box::none", (0.1,), (0.2,))),),
    "set_entity_prop": (encode(EntityProp("box", Mass(2.0), 0.0, 0.5)),),
    "set_joint_property": (encode(JointProp("box::none", 1.0)),),
    "insert_entity": (
        encode(InsertEntity("second", BOX)),
        encode(InsertEntity("bomb", BOMB)),
        encode(InsertEntity("leak", LEAK)),
    ),
}
"""What a server takes, by topic."""


def hostile(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """Yields topics and payloads without end."""
    topics = list(VALID)
    while True:
        topic = topics[rng.integers(len(topics))]
        given = VALID[topic][rng.integers(len(VALID[topic]))]
        yield topic, (_random, _damaged, _spliced, _odd)[rng.integers(4)](rng, given)


def main(count: int) -> None:
    """Sends so many messages, prints, and fails if one is not answered or the server ends."""
    refused, memory = 0, []
    with (
        Master("127.0.0.1", 0) as master,
        Transport(master.host, master.port) as own,
        Transport(master.host, master.port) as transport,
        PhysicsServer(MujocoSimulator(), own, paused=True) as server,
    ):
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        messages = islice(hostile(np.random.default_rng(1)), count)
        for number, (topic, payload) in enumerate(messages):
            if number % 500 == 0:
                tidy(transport)
            try:
                transport.request(topic, payload)
            except MessageError:
                refused += 1
            if number + 1 in (count // 10, count):
                memory.append(resident())
        tidy(transport)
        remote = RemoteSimulator(transport)
        remote.step(3)
        assert abs(remote.time[0] - 0.003) < 1e-9
        server.stop()
        thread.join()
    print(json.dumps({"refused": refused, "counted": server.malformed, "memory": memory}))


def resident() -> float:
    """Returns the memory of the process [MB], without zenoh's pool of 16 MiB that is shared."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("RssAnon:")[2].split()[0]) / 1000


def tidy(transport: Transport) -> None:
    """Leaves one box in a new world that rests: what was inserted is no leak."""
    transport.command("control", WorldControl(pause=True))
    remote = RemoteSimulator(transport)
    remote.reset()
    for name in remote.entities.models:
        remote.delete(name)
    transport.command("insert_entity", InsertEntity("box", BOX))


def _random(rng: np.random.Generator, given: bytes) -> bytes:
    return rng.bytes(int(rng.integers(200)))


def _damaged(rng: np.random.Generator, given: bytes) -> bytes:
    """Some bytes are others, and sometimes the end is missing."""
    damaged = bytearray(given)
    for _ in range(int(rng.integers(1, 4))):
        if damaged:
            damaged[rng.integers(len(damaged))] = int(rng.integers(256))
    return bytes(damaged[: rng.integers(len(damaged) + 1)] if rng.random() < 0.3 else damaged)


def _spliced(rng: np.random.Generator, given: bytes) -> bytes:
    """A part of it is there twice, or is not there."""
    begin, end = sorted(rng.integers(len(given) + 1, size=2))
    if rng.random() < 0.5:
        return given[:end] + given[begin:]
    return given[:begin] + given[end:]


def _odd(rng: np.random.Generator, given: bytes) -> bytes:
    """A frame whose header or numbers are unlike those that it should have; others are as given."""
    if given[:4] != b"DSF2":
        return given
    begin = 8 + int.from_bytes(given[4:8], "little")
    head, rest = msgspec.msgpack.decode(given[8:begin]), bytearray(given[begin + -begin % 8 :])
    header, listed = head
    odd = ODD[rng.integers(len(ODD))]
    if rng.random() < 0.2:
        head[1] = odd
    elif listed and rng.random() < 0.3:
        listed[rng.integers(len(listed))][rng.integers(3)] = odd
    else:
        header[[*header][rng.integers(len(header))]] = odd
    if len(rest) >= 8 and rng.random() < 0.5:
        at = 8 * int(rng.integers(len(rest) // 8))
        rest[at : at + 8] = WIDE[rng.integers(len(WIDE))].tobytes()
    text = msgspec.msgpack.encode(head)
    padding = bytes(-len(text) % 8)
    return b"DSF2" + len(text).to_bytes(4, "little") + text + padding + bytes(rest)


if __name__ == "__main__":
    main(int(sys.argv[1]))
