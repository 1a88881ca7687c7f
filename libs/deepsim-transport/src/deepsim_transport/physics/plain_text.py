# SPDX-License-Identifier: Apache-2.0
"""Checks that models from other processes are plain text."""

from __future__ import annotations

from typing import Any

from deepsim_transport.errors import MessageError


def plain_text(text: Any) -> str:
    """Checks that reading a model opens no file and runs no code of the sender's choice.

    Raises:
        MessageError: `text` is not SDF or URDF text, but for example a path, or xacro, which can
            run code.
    """
    if not isinstance(text, str) or not text.lstrip().startswith("<") or "xmlns:xacro" in text:
        raise MessageError("a model is sent as the text of its SDF or URDF, without xacro")
    return text
