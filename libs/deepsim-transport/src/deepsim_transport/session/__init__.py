# SPDX-License-Identifier: Apache-2.0
"""Connects processes: the master, and sessions with it."""

from __future__ import annotations

from .access import Access, Certificates, Credentials
from .master import Master, get_master_uri
from .participants import Participant, Topic
from .transport import Publisher, Subscriber, Transport

__all__ = [
    "Access",
    "Certificates",
    "Credentials",
    "Master",
    "Participant",
    "Publisher",
    "Subscriber",
    "Topic",
    "Transport",
    "get_master_uri",
]
