# SPDX-License-Identifier: Apache-2.0
"""Changes of viser's page: its title, the panel on a phone, and repair of a defect."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from html import escape
from typing import Any

from websockets.http11 import Request, Response

ProcessRequest = Callable[[Any, Request], "Response | None"]

# For each clickable mesh, viser 1.1.1 replaces a method by its bound version in every frame
# (InstancedMeshBVH.ts, _enableReversedDepthFrustum), so that the page accumulates one function per
# mesh and frame, and calls through all of them. Here a bound method is returned unchanged.
_MEND = """<script>(() => {
  const bind = Function.prototype.bind, name = "setFromProjectionMatrix";
  Function.prototype.bind = function (self, ...given) {
    const isBound = self && Object.hasOwn(self, name) && self[name] === this;
    return isBound ? this : bind.call(this, self, ...given);
  };
})();</script>"""
_HEAD = "<head>"

# On a narrow screen viser 1.1.1 opens its panel, which covers most of the picture
# (BottomPanel.tsx); a click on its head closes it.
_COLLAPSE = """<script>(() => {
  const watcher = new MutationObserver(() => {
    const heads = [...document.querySelectorAll('div[style*="cursor: pointer"]')];
    const head = heads.find(each => each.style.height === "3.5em");
    if (!head) return;
    watcher.disconnect();
    head.click();
  });
  watcher.observe(document, { childList: true, subtree: true });
})();</script>"""
_TITLE = "<title>Viser</title>"
_NAME = "DeepSim"


def mended(page: str, label: str, scripts: str = "") -> str:
    """Returns viser's page without the memory leak, titled by a label, with a free picture.

    Args:
        page: The page.
        label: What it shows.
        scripts: Further elements for the beginning of its head.
    """
    name = label if label == _NAME else f"{label} - {_NAME}"
    title = f"<title>{escape(name)}</title>"
    return page.replace(_TITLE, title, 1).replace(_HEAD, _HEAD + _MEND + _COLLAPSE + scripts, 1)


def mending(inner: ProcessRequest, label: str, scripts: str) -> ProcessRequest:
    """Returns a request handler that sends the `mended` page."""

    def process(connection: Any, request: Request) -> Response | None:
        headers = request.headers.copy()
        headers.pop("Accept-Encoding", None)  # the page itself contains compressed data
        answer = inner(connection, dataclasses.replace(request, headers=headers))
        if answer is None or not answer.headers.get("Content-Type", "").startswith("text/html"):
            return answer
        body = mended(answer.body.decode(), label, scripts).encode()
        del answer.headers["Content-Length"]
        answer.headers["Content-Length"] = str(len(body))
        answer.body = body
        return answer

    return process
