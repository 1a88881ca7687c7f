# SPDX-License-Identifier: Apache-2.0
"""Viser's insides are as the joint with them takes them to be."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest
import viser
import viser.infra
from viser import _messages

from deepsim_viewer import joint

CLIENT = Path(viser.__file__).parent / "client"
BVH = "src/vendor/instanced-mesh/core/InstancedMeshBVH.ts"
PANEL = "src/ControlPanel/BottomPanel.tsx"


def complaint(what: str, user: str) -> str:
    return f"viser {viser.__version__} has changed {what}: see {user} in {joint.__file__}"


@pytest.mark.parametrize(
    ("file", "text", "user"),
    [
        ("build/index.html", "<head>", "_HEAD"),
        ("build/index.html", "<title>Viser</title>", "_TITLE"),
        (BVH, "frustum.setFromProjectionMatrix.bind(frustum)", "_MEND"),
        (BVH, "this.bvh.frustum.setFromProjectionMatrix =", "_MEND"),
        (PANEL, 'cursor: "pointer"', "_COLLAPSE"),
        (PANEL, 'height: "3.5em"', "_COLLAPSE"),
    ],
)
def test_the_page_has_what_is_changed_in_it(file: str, text: str, user: str) -> None:
    """Elsewhere the page would keep its title, its leak, or its open panel, without a word."""
    page = (CLIENT / file).read_text(encoding="utf-8")
    assert text in page, complaint(f"{text!r} in {file}", user)


def test_the_title_and_the_scripts_are_in_the_page() -> None:
    """Each once."""
    page = joint.mended((CLIENT / "build/index.html").read_text(encoding="utf-8"), "A world")
    for text in ("<title>A world - DeepSim</title>", joint._MEND, joint._COLLAPSE):
        assert page.count(text) == 1


def test_the_server_is_opened_by_a_call_that_can_be_replaced() -> None:
    """By the full name of `serve`, and with a check of requests."""
    source = inspect.getsource(viser.infra._infra)
    for text in ("websockets.asyncio.server.serve(", "process_request="):
        assert text in source, complaint(f"the call of {text}", "GuardedServer.__init__")


@pytest.mark.parametrize(
    ("message", "names", "user"),
    [
        ("SetPositionMessage", ["name", "position"], "look_from"),
        ("RunJavascriptMessage", ["source"], "let_keys_drive"),
    ],
)
def test_messages_have_their_fields(message: str, names: list[str], user: str) -> None:
    """The first ones, in this order."""
    found = [each.name for each in fields(getattr(_messages, message)) if each.init]
    assert found[: len(names)] == names, complaint(message, user)


def test_messages_can_be_sent() -> None:
    """To the scene, and to all pages."""
    sends = getattr(viser.SceneApi, "_queue_scene_message", None)
    assert sends is not None, complaint("SceneApi._queue_scene_message", "look_from")
    source = inspect.getsource(viser.ViserServer.__init__)
    assert "self._websock_server = " in source, complaint("_websock_server", "let_keys_drive")
    queues = getattr(viser.infra.WebsockServer, "queue_message", None)
    assert queues is not None, complaint("WebsockServer.queue_message", "let_keys_drive")
