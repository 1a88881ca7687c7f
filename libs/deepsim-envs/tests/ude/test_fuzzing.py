# SPDX-License-Identifier: Apache-2.0
"""Any bytes at all methods: there is an answer, and the server serves on."""

from __future__ import annotations

import grpc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_envs.ude.access import CLIENT, LEAVE, OUR_VERSION, REQUEST, SEED, VERSION
from deepsim_envs.ude.codec import encode
from deepsim_envs.ude.messages import UNARY, Message, SideChannelMessage, to_bytes

METHODS = st.sampled_from([*UNARY, "nonsense"])
PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
NUMBERS = st.integers(0, 9).map(str)
METADATA = st.one_of(
    st.fixed_dictionaries(
        {VERSION: st.just(OUR_VERSION), CLIENT: st.sampled_from(["one", "two"])},
        optional={REQUEST: NUMBERS, SEED: NUMBERS, LEAVE: st.just("1")},
    ).map(lambda headers: list(headers.items())),
    st.lists(
        st.tuples(st.sampled_from([CLIENT, LEAVE, REQUEST, SEED, VERSION, "x"]), PRINTABLE),
        max_size=4,
    ),
)
ACTIONS = st.integers(-9, 9).map(lambda number: encode({"a": [number], "b": [-number]}))
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
PROPER = {
    "step": ACTIONS,
    "side_channel_send": st.builds(SideChannelMessage, PRINTABLE, st.booleans()),
}


@st.composite
def calls(draw):
    """A method and what is sent to it: as it should be, damaged, or anything."""
    method = draw(METHODS)
    proper = to_bytes(Message(content=draw(PROPER.get(method, st.none()))))
    other = to_bytes(Message(draw(st.sampled_from([200, 0, 500])), "", draw(CONTENTS)))
    damaged = bytearray(draw(st.sampled_from([proper, other])))
    for _ in range(draw(st.integers(1, 3)) if damaged else 0):
        damaged[draw(st.integers(0, len(damaged) - 1))] = draw(st.integers(0, 255))
    junk = draw(st.binary(max_size=100))
    return method, draw(st.sampled_from([proper, proper, other, bytes(damaged), junk]))


def test_whatever_comes_the_server_serves_on(start, raw, connect):
    server = start(step_timeout=2.0, lease=0.0)
    client = raw(server)
    seen = set()

    @given(calls(), METADATA)
    @settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
    def fuzz(call, metadata):
        method, data = call
        try:
            seen.add((method, client.send(method, data, metadata).status))
        except grpc.RpcError as error:
            seen.add((method, error.code()))

    fuzz()
    assert {("step", 200), ("step", 400), ("reset", 200), ("reset", 400)} <= seen
    statuses = {status for _, status in seen}
    assert statuses <= {200, 400, 403, 409, 426, 504, grpc.StatusCode.UNIMPLEMENTED}
    remote = connect(server)
    remote.reset(seed=1)
    assert remote.step({"a": [1], "b": [1]}).observation["a"][1] == 1.0
