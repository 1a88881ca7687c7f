# SPDX-License-Identifier: Apache-2.0
"""Repair of a defect in viser's page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
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


def mended(page: str) -> str:
    """Returns viser's page without the memory leak."""
    return page.replace(_HEAD, _HEAD + _MEND, 1)


def mending(inner: ProcessRequest) -> ProcessRequest:
    """Returns a request handler that sends the `mended` page."""

    def process(connection: Any, request: Request) -> Response | None:
        headers = request.headers.copy()
        headers.pop("Accept-Encoding", None)  # the page itself contains compressed data
        answer = inner(connection, dataclasses.replace(request, headers=headers))
        if answer is None or not answer.headers.get("Content-Type", "").startswith("text/html"):
            return answer
        body = mended(answer.body.decode()).encode()
        del answer.headers["Content-Length"]
        answer.headers["Content-Length"] = str(len(body))
        answer.body = body
        return answer

    return process
