# SPDX-License-Identifier: Apache-2.0
"""Door: decides which requests may pass."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from email.message import Message

HOST = "127.0.0.1"
_LOCAL_NAMES = frozenset({HOST, "localhost"})


class Door:
    """Lets requests pass that come from the viewer's own page, on this machine.

    The address has a secret token as its first part. The Host must be local, so that a foreign
    name that leads to this machine does not help (DNS rebinding), and the Origin, where there is
    one, must be that of the page, so that other pages in the same browser cannot ask.

    Attributes:
        token: The secret part of the address.
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)

    def url(self, port: int) -> str:
        """Returns the address of the page on a port."""
        return f"http://{HOST}:{port}/{self.token}/"

    def refusal(self, path: str, headers: Message) -> str | None:
        """Returns the reason to refuse a request, or None if it may pass."""
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
    """Returns the host name of ``name:port``."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
