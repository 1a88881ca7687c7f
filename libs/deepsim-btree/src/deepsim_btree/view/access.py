# SPDX-License-Identifier: Apache-2.0
"""AccessControl, which decides which requests are allowed."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from email.message import Message

HOST = "127.0.0.1"
_LOCAL_NAMES = frozenset({HOST, "localhost"})


class AccessControl:
    """The access control of a viewer, which accepts only requests from the viewer's own page.

    The first part of a request's path must be the secret token; its Host must be local, which
    prevents DNS rebinding; and its Origin, if any, must be the viewer's own, so that other pages in
    the same browser are refused.

    Attributes:
        token: The secret part of the address.
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)

    def url(self, port: int) -> str:
        """Returns the address of the page on a TCP port."""
        return f"http://{HOST}:{port}/{self.token}/"

    def refusal(self, path: str, headers: Message) -> str | None:
        """Returns the reason to refuse a request, or None if it is allowed."""
        hosts = headers.get_all("Host", [])
        if len(hosts) != 1 or _name(hosts[0]) not in _LOCAL_NAMES:
            return "the Host is not local"
        origins = headers.get_all("Origin", [])
        if origins and origins != [f"http://{hosts[0]}"]:
            return "the Origin is foreign"
        given = path.split("?")[0].split("/")[1:2]
        if not given or not hmac.compare_digest(given[0].encode(), self.token.encode()):
            return "the address lacks the token that the program has printed"
        return None


def _name(host: str) -> str | None:
    """Returns the host name of ``name:port``, or None if the text is malformed."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
