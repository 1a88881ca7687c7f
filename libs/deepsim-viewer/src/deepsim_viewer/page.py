# SPDX-License-Identifier: Apache-2.0
"""The page of viser, with one defect of it mended."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from websockets.http11 import Request, Response

ProcessRequest = Callable[[Any, Request], "Response | None"]

# For each mesh that can be clicked, viser 1.1.1 replaces a method by its bound self in every frame
# (InstancedMeshBVH.ts, _enableReversedDepthFrustum), so that the page keeps one more function per
# mesh and frame, and calls through all of them. Here the bound method is taken as it is.
_MEND = """<script>(() => {
  const bind = Function.prototype.bind, name = "setFromProjectionMatrix";
  Function.prototype.bind = function (self, ...given) {
    const isBound = self && Object.hasOwn(self, name) && self[name] === this;
    return isBound ? this : bind.call(this, self, ...given);
  };
})();</script>"""
_HEAD = "<head>"


def mended(page: str) -> str:
    """Returns a page of viser whose memory does not grow while it is open."""
    return page.replace(_HEAD, _HEAD + _MEND, 1)


def mending(inner: ProcessRequest) -> ProcessRequest:
    """Returns a handler of requests that sends the `mended` page."""

    def process(connection: Any, request: Request) -> Response | None:
        headers = request.headers.copy()
        headers.pop("Accept-Encoding", None)  # the page is compressed within
        answer = inner(connection, dataclasses.replace(request, headers=headers))
        if answer is None or not answer.headers.get("Content-Type", "").startswith("text/html"):
            return answer
        body = mended(answer.body.decode()).encode()
        del answer.headers["Content-Length"]
        answer.headers["Content-Length"] = str(len(body))
        answer.body = body
        return answer

    return process
