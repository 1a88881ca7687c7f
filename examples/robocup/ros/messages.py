# SPDX-License-Identifier: Apache-2.0
"""Classes of messages and services from the files that define them; nothing has to be built."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Any

_NOETIC = ("/opt/ros/noetic/lib/python3/dist-packages", "/usr/lib/python3/dist-packages")
_RULE = f"\n{'=' * 80}\nMSG: "


def find_rospy() -> Any:
    """Returns rospy, also where ROS was installed for another Python: it is pure Python.

    Raises:
        ModuleNotFoundError: There is no rospy.
    """
    sys.path += [folder for folder in _NOETIC if folder not in sys.path]  # the last ones to ask
    import rospy  # noqa: PLC0415 (see above)

    return rospy


def load_messages(package: Path) -> dict[str, Any]:
    """Returns the classes of a package of messages, by their names without the package's.

    Args:
        package: The folder with its ``msg`` and ``srv``.
    """
    find_rospy()
    from std_msgs.msg import Header  # noqa: PLC0415

    texts = {file.stem: file.read_text(encoding="utf-8") for file in package.glob("msg/*.msg")}
    others = "".join(f"{_RULE}{package.name}/{name}\n{text}" for name, text in texts.items())
    others += f"{_RULE}std_msgs/Header\n{Header._full_text}"
    classes = {
        name: _message(f"{package.name}/{name}", text + others) for name, text in texts.items()
    }
    for file in package.glob("srv/*.srv"):
        classes[file.stem] = _service(
            f"{package.name}/{file.stem}", file.read_text(encoding="utf-8")
        )
    return classes


def _message(name: str, text: str) -> Any:
    from genpy.dynamic import generate_dynamic  # noqa: PLC0415

    return generate_dynamic(name, text)[name]


def _service(name: str, text: str) -> Any:
    """A service of plain fields, whose checksum is that of both definitions without comments."""
    asked, answered = map(_fields, re.split(r"^---$", text, flags=re.MULTILINE))
    request, response = _message(f"{name}Request", asked), _message(f"{name}Response", answered)
    checksum = hashlib.md5((asked + answered).encode(), usedforsecurity=False).hexdigest()
    members = {"_request_class": request, "_response_class": response}
    return type(name, (), {"_type": name, "_md5sum": checksum, **members})


def _fields(text: str) -> str:
    """The fields of a definition, one in a line."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return "\n".join(" ".join(line) for line in lines if line)
