# SPDX-License-Identifier: Apache-2.0
"""Messages: the table says what ude.proto says, and each message comes back as it was."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_envs.ude import PayloadError
from deepsim_envs.ude.codec import Limits
from deepsim_envs.ude.messages import (
    MESSAGES,
    STREAM,
    UNARY,
    Message,
    SideChannelMessage,
    from_bytes,
    to_bytes,
)

PROTO = files("deepsim_envs.ude").joinpath("ude.proto").read_text()
LIMITS = Limits()


def test_the_proto_says_the_same():
    declared = {}
    for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}$", PROTO, re.M | re.S):
        declared[name], oneof = [], None
        for line in body.splitlines():
            if found := re.match(r"\s*oneof (\w+) \{", line):
                oneof = found[1]
            elif found := re.match(r"\s*((?:repeated )?\w+) (\w+) = (\d+);", line):
                declared[name].append((found[2], int(found[3]), found[1], oneof))
    assert declared == MESSAGES
    calls = re.findall(r"rpc (\w+)\(UDEMessageProto\) returns \((stream )?", PROTO)
    assert calls == [*((name, "") for name in UNARY), (STREAM, "stream ")]


@pytest.mark.parametrize(
    ("message", "data"),
    [
        (Message(), "0a0308c801 1200"),
        (Message(content=b"xy"), "0a0308c801 22040a027879"),
        (Message(403, "no"), "0a07089303 12026e6f 1200"),
        (
            Message(content=SideChannelMessage("k", -1, True)),
            "0a0308c801 1a12 0a016b 1001 220b 08ffffffffffffffffff01",
        ),
    ],
)
def test_messages_have_these_bytes(message, data):
    """As protoc's own code for UDE's .proto writes them."""
    assert to_bytes(message) == bytes.fromhex(data)


@given(st.binary())
def test_any_bytes_are_read_or_refused(data):
    with suppress(PayloadError):
        from_bytes(data, LIMITS)


def test_a_message_that_is_too_large_is_refused():
    with pytest.raises(PayloadError, match="at most 10 bytes"):
        from_bytes(to_bytes(Message(content=b"x" * 20)), Limits(message_bytes=10))
