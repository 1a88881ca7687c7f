# SPDX-License-Identifier: Apache-2.0
"""Access to servers: loopback addresses, secret tokens, and the origin of browsers' requests.

A server listens on this machine only, unless it is protected by more than a token.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
_LOCAL_NAMES = frozenset({LOOPBACK, "localhost"})


def is_loopback(host: str) -> bool:
    """Returns whether only this machine can reach an address; the only such name is localhost.

    >>> is_loopback("127.0.0.1"), is_loopback("[::1]"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Returns a new secret of 192 random bits that can be part of an address."""
    return secrets.token_urlsafe(24)


def is_token(given: str | bytes, expected: str) -> bool:
    """Returns whether a token is the expected one; the comparison takes constant time."""
    received = given if isinstance(given, bytes) else given.encode()
    return hmac.compare_digest(received, expected.encode())


def browser_refusal(
    hosts: Sequence[str], origins: Sequence[str], path: str, token: str
) -> str | None:
    """Returns the reason for refusing a request to a page on `LOOPBACK`, or None to accept it.

    The first part of the path must be the token; the Host must be local, which prevents DNS
    rebinding; and the Origin, if any, must be the page itself.

    Args:
        hosts: The values of the header Host; exactly one is accepted.
        origins: The values of the header Origin.
        path: The path of the request, with or without a query.
        token: The secret token of the page.

    >>> browser_refusal(["localhost:80"], [], "/secret/page?a=1", "secret") is None
    True
    >>> browser_refusal(["evil.example"], [], "/secret/page", "secret")
    'the Host is not local'
    """
    if len(hosts) != 1 or _name(hosts[0]) not in _LOCAL_NAMES:
        return "the Host is not local"
    if origins and list(origins) != [f"http://{hosts[0]}"]:
        return "the Origin is foreign"
    given = urlsplit(path).path.split("/")[1:2]
    if not given or not is_token(given[0], token):
        return "this is not the whole address of the viewer: its token is missing"
    return None


def _name(host: str) -> str | None:
    """Returns the host name of ``name:port``, or None."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
