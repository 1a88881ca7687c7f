# SPDX-License-Identifier: Apache-2.0
"""Any bytes at all methods: there is an answer, and the server serves on."""

from __future__ import annotations

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_envs.ude.codec import encode
from deepsim_envs.ude.headers import CLIENT, LEAVE, REQUEST, SEED, VERSION
from deepsim_envs.ude.messages import UNARY, Message, SideChannelMessage, to_bytes

METHODS = st.sampled_from([*UNARY, "nonsense"])
PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
METADATA = st.lists(
    st.tuples(st.sampled_from([CLIENT, LEAVE, REQUEST, SEED, VERSION, "x"]), PRINTABLE), max_size=4
)
PAYLOADS = st.one_of(
    st.binary(max_size=200),
    st.builds(
        encode,
        st.dictionaries(
            st.sampled_from(["a", "b", "c", 1]),
            st.recursive(
                st.one_of(st.none(), st.integers(-9, 9), st.floats(), PRINTABLE),
                lambda parts: st.lists(parts, max_size=3),
            ),
        ),
    ),
)
CONTENTS = st.one_of(
    st.none(),
    PAYLOADS,
    st.builds(SideChannelMessage, PRINTABLE, st.one_of(st.booleans(), PRINTABLE, st.binary())),
)


@st.composite
def requests(draw):
    data = to_bytes(Message(draw(st.sampled_from([200, 0, 500])), "", draw(CONTENTS)))
    damage = bytearray(data)
    for _ in range(draw(st.integers(0, 3))):
        damage[draw(st.integers(0, len(damage) - 1))] = draw(st.integers(0, 255))
    return draw(st.sampled_from([data, bytes(damage), draw(st.binary(max_size=100))]))


@pytest.fixture(scope="module")
def seen():
    return set()


def test_whatever_comes_the_server_serves_on(start, raw, connect, seen):
    server = start(step_timeout=0.01, lease=0.0)
    client = raw(server)

    @given(METHODS, requests(), METADATA)
    @settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
    def fuzz(method, data, metadata):
        try:
            seen.add(client.send(method, data, metadata).status)
        except grpc.RpcError as error:
            seen.add(error.code())

    fuzz()
    assert {200, 400} <= seen <= {200, 400, 403, 409, 426, 504, grpc.StatusCode.UNIMPLEMENTED}
    remote = connect(server)
    remote.reset(seed=1)
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0
