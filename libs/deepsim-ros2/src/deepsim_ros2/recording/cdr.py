# SPDX-License-Identifier: Apache-2.0
"""The common messages of ROS 2 as rosbags has them; no ROS installation is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rosbags.typesys import Stores, get_typestore

from deepsim_ros2.topics.message_types import MessageTypes

STORE: Final = get_typestore(Stores.ROS2_KILTED)
"""The message types of ROS 2 Kilted; those that DeepSim writes are the same in Jazzy."""


def _find(kind: str) -> Callable[..., Any]:
    package, _, name = kind.partition("/")
    return STORE.types[f"{package}/msg/{name}"]


CDR: Final = MessageTypes(_find)
"""Makes messages that `STORE` encodes."""
