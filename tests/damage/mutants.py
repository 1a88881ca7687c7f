# SPDX-License-Identifier: Apache-2.0
"""Damages files, each time in the same way for the same number."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")
_WORD = re.compile(rb"[A-Za-z_]\w+")
_ELEMENT = re.compile(rb"<[A-Za-z_][^<>]*/>|<([A-Za-z_][\w.]*)[^<>]*>[^<>]*</\1>")
_VALUE = re.compile(rb'"[^"\n<>]*"')
_ODD = (
    b"nan", b"inf", b"-inf", b"0", b"-0", b"-1", b"1e308", b"-1e308", b"1e-320", b"1e9", b"1e400",
    b"10001", b"65536", b"2147483647", b"-2147483648", b"4294967296", b"9223372036854775808",
    b"0x10", b"1_0", b"1,5", b"true", b"null", b"[]", b"{}", b"[[1]]", b"''", b"", b"~", b"*", b".",
    b"..", b"/", b"../../x", b"/etc/hostname", b"/dev/zero", b"\0", b"\xff\xfe", "٣".encode(),
    "\u202e".encode(), b"9" * 400, b"9" * 16_000, b"1" * 100_000 + b"x",
    b"0." + b"0" * 50_000 + b"1", b"a" * 70_000, b"$(x)", b"${x}", b"{x}", b"%s%n", b"&x;",
    b"<x>", b"]]>", b"1 2 3", b"1 " * 5000,
)  # fmt: skip
ODD_NUMBERS = (
    struct.pack("<d", float("nan")), struct.pack("<d", float("inf")), struct.pack("<d", 1e308),
    struct.pack("<f", float("nan")), struct.pack("<f", -3e38), b"\xff" * 4, b"\xff" * 8,
    b"\xff\xff\xff\x7f", b"\xff" * 7 + b"\x7f", bytes(4), bytes(8), b"\0\0\0\x40",
    b"\0" * 5 + b"\x01",
)  # fmt: skip
_BOMB = (
    b"<!DOCTYPE z [<!ENTITY a 'aaaaaaaaaa'>"
    + "".join(f"<!ENTITY {y} '{10 * f'&{x};'}'>" for x, y in pairwise("abcdefghi")).encode()
    + b"]>"
)
_LEAK = b"<!DOCTYPE z [<!ENTITY a SYSTEM 'file:///etc/hostname'>]>"


def _place(data: bytes, draw: Random) -> tuple[int, int]:
    begin = draw.randrange(len(data) + 1)
    return begin, min(len(data), begin + draw.choice((1, 2, 8, 40, 200, 1000)))


def _flip(data: bytes, draw: Random) -> bytes:
    place = draw.randrange(max(len(data), 1))
    return data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :]


def _overwrite(data: bytes, draw: Random) -> bytes:
    begin, end = _place(data, draw)
    return data[:begin] + draw.randbytes(end - begin) + data[end:]


def _delete(data: bytes, draw: Random) -> bytes:
    begin, end = _place(data, draw)
    return data[:begin] + data[end:]


def _double(data: bytes, draw: Random) -> bytes:
    begin, end = _place(data, draw)
    return data[:end] + data[begin:]


def _insert(data: bytes, draw: Random) -> bytes:
    begin, _ = _place(data, draw)
    return data[:begin] + draw.choice((bytes(16), draw.randbytes(9), b"\n", b"\xff")) + data[begin:]


def _truncate(data: bytes, draw: Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _cut_end(data: bytes, draw: Random) -> bytes:
    return data[: -draw.randrange(1, 60)]


def _extend(data: bytes, draw: Random) -> bytes:
    return data + draw.choice((b"\0", b"\n", b"x", data, draw.randbytes(100), bytes(100_000)))


def _swap(data: bytes, draw: Random) -> bytes:
    a, b, c = sorted(draw.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _put_number(data: bytes, draw: Random) -> bytes:
    odd = draw.choice(ODD_NUMBERS)
    begin = draw.randrange(len(data) + 1)
    begin -= draw.choice((0, begin % 4, begin % 8))
    return data[:begin] + odd + data[begin + len(odd) :]


def _replace(data: bytes, draw: Random, what: re.Pattern[bytes]) -> bytes:
    """Replaces what a pattern finds by something odd, or by another such thing of the file."""
    found = list(what.finditer(data))
    if not found:
        return _flip(data, draw) if data else b"x"
    one, other = draw.choice(found), draw.choice(found)
    new = other[0] if draw.random() < 0.4 else draw.choice(_ODD)
    if what is _VALUE and not new.startswith(b'"'):
        new = b'"' + new + b'"'
    return data[: one.start()] + new + data[one.end() :]


def _number(data: bytes, draw: Random) -> bytes:
    return _replace(data, draw, _NUMBER)


def _word(data: bytes, draw: Random) -> bytes:
    return _replace(data, draw, _WORD)


def _value(data: bytes, draw: Random) -> bytes:
    return _replace(data, draw, _VALUE)


def _larger(data: bytes, draw: Random) -> bytes:
    """Multiplies a number of the file."""
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    one = draw.choice(found)
    new = str(float(one[0]) * draw.choice((-1.0, 1e-9, 10.0, 1e3, 1e6, 1e12))).encode()
    return data[: one.start()] + new.removesuffix(b".0") + data[one.end() :]


def _lines(data: bytes, draw: Random) -> bytes:
    """Deletes, repeats or moves a line."""
    lines = data.splitlines(keepends=True) or [b""]
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(4):
        case 0:
            del lines[one]
        case 1:
            lines.insert(other, lines[one])
        case 2:
            lines[one : one + 1] *= draw.choice((2, 100, 1000))
        case _:
            lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _element(data: bytes, draw: Random) -> bytes:
    """Deletes, repeats, moves or nests an element of XML."""
    found = list(_ELEMENT.finditer(data))
    if not found:
        return _lines(data, draw)
    one, other = draw.choice(found), draw.choice(found)
    match draw.randrange(4):
        case 0:
            return data[: one.start()] + data[one.end() :]
        case 1:
            return data[: other.start()] + one[0] + data[other.start() :]
        case 2:
            return data[: one.start()] + one[0] * draw.choice((2, 50, 2000)) + data[one.end() :]
        case _:
            tag = _WORD.search(one[0])
            outer = tag[0] if tag else b"a"
            depth = draw.choice((2, 190, 300, 20_000))
            new = b"<" + outer + b">"
            nested = new * depth + one[0] + (b"</" + outer + b">") * depth
            return data[: one.start()] + nested + data[one.end() :]


def _nest(data: bytes, draw: Random) -> bytes:
    """Nests brackets where a number was."""
    found = list(_NUMBER.finditer(data))
    begin, end = draw.choice(found).span() if found else _place(data, draw)
    depth = draw.choice((3, 500, 100_000))
    opening, closing = draw.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"- ", b"")))
    nested = opening * depth + b"1" + closing * depth
    return data[:begin] + nested + data[end:]


def _alias(data: bytes, draw: Random) -> bytes:
    """Adds YAML whose aliases would make a thousand million entries."""
    rows = [f"a0: &a0 {['x'] * 10}"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return data + b"\n" + "\n".join(rows).encode() + b"\n"


def _prolog(data: bytes, draw: Random) -> bytes:
    """Puts something before the root element."""
    start = data.find(b"?>") + 2 if data.startswith(b"<?") else 0
    head = draw.choice((_BOMB, _LEAK, b"<!-- ", b"<![CDATA[", b"\xef\xbb\xbf", b"\n" * 5000, b"x"))
    return data[:start] + head + data[start:]


def _encode(data: bytes, draw: Random) -> bytes:
    return data.decode("utf-8", "replace").encode(draw.choice(("utf-16", "utf-32", "utf-7")))


_BYTES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flip, _flip, _flip, _flip, _overwrite, _delete, _double, _insert, _truncate, _cut_end, _extend,
    _swap, _put_number, _put_number,
)  # fmt: skip
_TEXT: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flip, _delete, _truncate, _cut_end, _number, _number, _number, _number, _larger, _larger,
    _word, _word, _value, _value, _lines, _lines, _element, _element, _nest, _alias, _prolog,
    _encode, _extend,
)  # fmt: skip


def damaged(data: bytes, draw: Random, *, text: bool) -> bytes:
    """Returns the content of a file after an accident, or as somebody hostile would write it.

    Args:
        data: The content, of at least one byte.
        draw: The source of random numbers.
        text: Whether the content is text.
    """
    ways = _TEXT if text else _BYTES
    for _ in range(draw.choice((1, 1, 1, 2, 3)) if text else 1):
        data = draw.choice(ways)(data or b"\n", draw)
    return data


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path)


ODD_FILES: tuple[Callable[[Path], None], ...] = (
    _fifo, _endless, _loop, Path.mkdir, Path.touch, lambda path: path.symlink_to("/no/such/file"),
)  # fmt: skip
"""Make something else than a file with content."""
