# SPDX-License-Identifier: Apache-2.0
"""UDE's messages, declared at run time from a table, without generated code.

The file `ude.proto` in this folder declares the same messages for other languages. The messages are
in a separate descriptor pool, so that a program may also load those of the package ``ude``.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, cast

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from .codec import Limits
from .errors import PayloadError

PACKAGE = "ude_objects"
SERVICE = f"{PACKAGE}.UDEProto"
UNARY = ("step", "reset", "close", "observation_space", "action_space", "side_channel_send")
MOST_NUMBERS = 2**13  # maximum length of a list in a side channel
STREAM = "side_channel_stream"

OK = 200

SideChannelValue: TypeAlias = bool | int | float | list[float] | str | bytes
"""A value that a side channel carries. On the wire, ints and floats have 32 bits."""

#: The fields of each message: name, number, type, and the oneof to which it belongs, if any.
MESSAGES: dict[str, list[tuple[str, int, str, str | None]]] = {
    "UDEMessageHeaderProto": [("status", 1, "int32", None), ("message", 2, "string", None)],
    "UDEEmptyMessageProto": [],
    "UDEDataMessageProto": [("data", 1, "bytes", None)],
    "UDEBoolDataProto": [("val", 1, "bool", None)],
    "UDEIntDataProto": [("val", 1, "int32", None)],
    "UDEFloatDataProto": [("val", 1, "float", None)],
    "UDEFloatListDataProto": [("val", 1, "repeated float", None)],
    "UDEStringDataProto": [("val", 1, "string", None)],
    "UDEBytesDataProto": [("val", 1, "bytes", None)],
    "UDESideChannelMessageProto": [
        ("key", 1, "string", None),
        ("store_local", 2, "bool", None),
        ("boolVal", 3, "UDEBoolDataProto", "data"),
        ("intVal", 4, "UDEIntDataProto", "data"),
        ("floatVal", 5, "UDEFloatDataProto", "data"),
        ("floatListVal", 6, "UDEFloatListDataProto", "data"),
        ("stringVal", 7, "UDEStringDataProto", "data"),
        ("bytesVal", 8, "UDEBytesDataProto", "data"),
    ],
    "UDEMessageProto": [
        ("header", 1, "UDEMessageHeaderProto", None),
        ("emptyMsg", 2, "UDEEmptyMessageProto", "msg"),
        ("sideChannelMsg", 3, "UDESideChannelMessageProto", "msg"),
        ("dataMsg", 4, "UDEDataMessageProto", "msg"),
    ],
}

_VALUES = {
    bool: "boolVal",
    int: "intVal",
    float: "floatVal",
    list: "floatListVal",
    str: "stringVal",
    bytes: "bytesVal",
}


def _message_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="deepsim_envs/ude/ude.proto", package=PACKAGE, syntax="proto3"
    )
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, oneof in fields:
            declared = message.field.add(name=field, number=number)
            kind, repeated = kind.removeprefix("repeated "), kind.startswith("repeated ")
            declared.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
            if kind in MESSAGES:
                declared.type = kinds.TYPE_MESSAGE
                declared.type_name = f".{PACKAGE}.{kind}"
            else:
                declared.type = getattr(kinds, f"TYPE_{kind.upper()}")
            if oneof is not None:
                if not message.oneof_decl:
                    message.oneof_decl.add(name=oneof)
                declared.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.UDEMessageProto"))


_Message = _message_class()


class SideChannelMessage(NamedTuple):
    """A message of a side channel."""

    key: str
    value: SideChannelValue
    store_local: bool = False
    """Whether the sending end keeps the value as well."""


class Message(NamedTuple):
    """A request or an answer."""

    status: int = OK
    """An HTTP status code."""
    text: str = ""
    """The reason, if the status is not 200."""
    content: bytes | SideChannelMessage | None = None
    """A payload, a message of a side channel, or nothing."""


def to_bytes(message: Message) -> bytes:
    """Returns a message in the wire format."""
    wire = _Message()
    wire.header.status = message.status
    wire.header.message = message.text
    if isinstance(message.content, SideChannelMessage):
        channel = wire.sideChannelMsg
        channel.key, value, channel.store_local = message.content
        field = getattr(channel, _VALUES[type(value)])
        field.SetInParent()  # Without this, False or an empty list would be a missing value.
        if isinstance(value, list):
            field.val.extend(value)
        else:
            field.val = value
    elif message.content is not None:
        wire.dataMsg.data = message.content
    else:
        wire.emptyMsg.SetInParent()
    return cast(bytes, wire.SerializeToString())


def from_bytes(data: bytes, limits: Limits) -> Message:
    """Reads a message, which need not be trusted.

    Raises:
        PayloadError: The message is malformed, or larger than `limits` allow.
    """
    if len(data) > limits.message_bytes:
        raise PayloadError(f"a message has at most {limits.message_bytes} bytes, got {len(data)}")
    try:
        wire = _Message.FromString(data)
    except DecodeError:
        raise PayloadError("not a message of UDE") from None
    kind = wire.WhichOneof("msg")
    content: bytes | SideChannelMessage | None = None
    if kind == "dataMsg":
        content = wire.dataMsg.data
    elif kind == "sideChannelMsg":
        channel = wire.sideChannelMsg
        chosen = channel.WhichOneof("data")
        if chosen is None:
            raise PayloadError("a message of a side channel has no value")
        value = getattr(channel, chosen).val
        if chosen == "floatListVal":
            if len(value) > MOST_NUMBERS:
                raise PayloadError(f"a list in a side channel has at most {MOST_NUMBERS} numbers")
            value = list(value)
        content = SideChannelMessage(channel.key, value, channel.store_local)
    return Message(wire.header.status, wire.header.message, content)
