# SPDX-License-Identifier: Apache-2.0
"""Encodes messages as Protocol Buffers; the fields of the dataclasses define the schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from deepsim_transport.errors import MessageError

M = TypeVar("M")

PACKAGE = "gazebo.msgs"
_POOL = descriptor_pool.DescriptorPool()
_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    bool: _Field.TYPE_BOOL,
    float: _Field.TYPE_DOUBLE,
    int: _Field.TYPE_UINT32,
    str: _Field.TYPE_STRING,
}


def encode(message: Any) -> bytes:
    """Returns the bytes of a message.

    Raises:
        ValueError: A number does not fit into its field.
    """
    return bytes(_filled(message).SerializeToString(deterministic=True))


def decode(kind: type[M], payload: bytes) -> M:
    """Decodes bytes as a message of the given class.

    Raises:
        MessageError: The bytes are not a message of that class.
    """
    read = _class(kind)()
    try:
        read.ParseFromString(payload)
    except DecodeError:
        raise MessageError(f"{len(payload)} bytes are not a {kind.__name__}") from None
    made: M = _made(kind, read)
    return made


def of_json(kind: type[M], fields: str) -> M:
    """Returns a message whose fields are given as a JSON object; others keep their defaults.

    Raises:
        MessageError: The text is not JSON, or does not fit the fields.
    """
    try:
        made = msgspec.json.decode(fields, type=kind)
    except msgspec.MsgspecError as error:
        raise MessageError(f"{fields!r} is not a {kind.__name__}: {error}") from None
    _require_known(kind.__name__, msgspec.json.decode(fields), msgspec.to_builtins(made))
    return made


def _require_known(name: str, given: Any, made: Any) -> None:
    """Raises MessageError if an object of JSON has fields that its message does not have."""
    if isinstance(given, list):
        for one, other in zip(given, made, strict=True):
            _require_known(name, one, other)
    if isinstance(given, dict):
        for field, value in given.items():
            if field not in made:
                raise MessageError(f"{name} has no field {field!r}; known: {', '.join(made)}")
            _require_known(f"{name}.{field}", value, made[field])


def encoding_of(kind: type[Any]) -> str:
    """Returns the name of a message class on the wire, formatted as an encoding of zenoh."""
    return f"application/protobuf;{PACKAGE}.{kind.__name__}"


def _compiled(kind: Any) -> Any:
    """Creates the protobuf class that corresponds to a message class."""
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{kind.__name__}.proto", package=PACKAGE, syntax="proto3"
    )
    described = file.message_type.add(name=kind.__name__)
    for number, (name, hint) in enumerate(_hints(kind).items(), 1):
        repeated = get_origin(hint) is tuple
        inner = get_args(hint)[0] if repeated else hint
        field = described.field.add(name=name, number=number)
        field.label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
        if inner in _SCALARS:
            field.type = _SCALARS[inner]
        else:
            _class(inner)
            field.type, field.type_name = _Field.TYPE_MESSAGE, f".{PACKAGE}.{inner.__name__}"
            if f"{inner.__name__}.proto" not in file.dependency:
                file.dependency.append(f"{inner.__name__}.proto")
    _POOL.Add(file)
    return message_factory.GetMessageClass(
        _POOL.FindMessageTypeByName(f"{PACKAGE}.{kind.__name__}")
    )


_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)
_class: Callable[[Any], Any] = cache(_compiled)


def _filled(message: Any) -> Any:
    values = {}
    for name in _hints(type(message)):
        value = getattr(message, name)
        if isinstance(value, tuple):
            value = [_filled(each) if dataclasses.is_dataclass(each) else each for each in value]
        values[name] = _filled(value) if dataclasses.is_dataclass(value) else value
    return _class(type(message))(**values)


def _made(kind: type[Any], read: Any) -> Any:
    values = {}
    for name, hint in _hints(kind).items():
        value = getattr(read, name)
        if get_origin(hint) is tuple:
            inner = get_args(hint)[0]
            value = tuple(_made(inner, each) if inner not in _SCALARS else each for each in value)
        elif hint not in _SCALARS:
            value = _made(hint, value)
        values[name] = value
    return kind(**values)
