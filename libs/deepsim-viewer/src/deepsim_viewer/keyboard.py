# SPDX-License-Identifier: Apache-2.0
"""The page of viser: its title and panel; keys and gamepads, which viser does not report."""

from __future__ import annotations

import dataclasses
import http
import math
import time
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers
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


KEYS = {
    "Space": "pause and play",
    "N": "one step",
    "R": "reset",
    "F": "follow or hold still",
    "Ctrl+Z": "undo an edit",
    "W A S D, arrows, left stick": "drive the agent chosen in Drive; else move and turn the camera",
    "right stick": "turn the camera",
    "other keys": "the choices of a driven agent, as listed in Drive",
}
"""What the keys and the gamepad of the page do."""

CHOICES = (
    tuple(f"Digit{digit}" for digit in "1234567890"),
    tuple(f"Key{letter}" for letter in "QWETYUIOP"),
    tuple(f"Key{letter}" for letter in "ASDGHJKL"),
    tuple(f"Key{letter}" for letter in "ZXCVB"),
)
"""Codes of the keys for the values of the first four discrete choices, without those of `KEYS`."""

# Keys reach the page's own handlers, which move the camera, only while no agent is driven. Text
# fields, open lists, sliders and buttons reached by Tab keep their keys.
SCRIPT = """<script>(() => {
  const page = window.deepsim = { driven: false, choices: [] };
  const presses = { Space: "pause", KeyN: "step", KeyR: "reset", KeyF: "follow" };
  const ways = { KeyW: [1, 0], ArrowUp: [1, 0], KeyS: [-1, 0], ArrowDown: [-1, 0],
                 KeyA: [0, 1], ArrowLeft: [0, 1], KeyD: [0, -1], ArrowRight: [0, -1] };
  const held = new Set(), down = new Set();
  const send = query => fetch(`input?${query}`);
  const press = name => send(`press=${name}`).catch(() => {});
  const taken = (at, code) => at.isContentEditable || at.tagName === "TEXTAREA"
    || (at.tagName === "INPUT" && !at.readOnly && at.type !== "checkbox")
    || at.getAttribute("aria-expanded") === "true"
    || (at.getAttribute("role") === "slider" && code.startsWith("Arrow"))
    || (code === "Space" && at.tagName !== "INPUT" && at.matches("button:focus-visible"));
  const pads = () => [...navigator.getGamepads()].filter(pad => pad);
  const steady = value => Math.abs(value) < 0.15 ? 0 : value;
  const query = () => {
    let [up, left] = [0, 0];
    const keys = [...held].filter(code => page.choices.includes(code));
    if (page.driven) {
      for (const code of held) { up += ways[code]?.[0] ?? 0; left += ways[code]?.[1] ?? 0; }
      for (const pad of pads()) { up -= steady(pad.axes[1]); left -= steady(pad.axes[0]); }
    }
    const share = value => Math.max(-1, Math.min(1, value)).toFixed(2);
    return `up=${share(up)}&left=${share(left)}&keys=${keys.join(" ")}`;
  };
  const rest = query();
  let told = rest, telling = false;
  const tell = async () => {
    if (telling) return;
    telling = true;
    try {
      for (let now = query(); now !== rest || told !== rest; now = query()) {
        await send(now);
        told = now;
        if (now !== rest) await new Promise(resolve => setTimeout(resolve, 50));
      }
    } catch { held.clear(); told = rest; }
    telling = false;
  };
  const turned = new Set();
  const turn = () => {  // the camera, by the keys that viser has for it
    const sticks = [["ArrowLeft", "ArrowRight", 2], ["ArrowUp", "ArrowDown", 3]];
    if (!page.driven) sticks.push(["KeyA", "KeyD", 0], ["KeyW", "KeyS", 1]);
    const wanted = new Set();
    for (const pad of pads()) for (const [less, more, axis] of sticks) {
      if (Math.abs(pad.axes[axis] ?? 0) > 0.5) wanted.add(pad.axes[axis] < 0 ? less : more);
    }
    for (const code of new Set([...wanted, ...turned])) {
      if (wanted.has(code) === turned.has(code)) continue;
      const type = wanted.has(code) ? "keydown" : "keyup";
      document.dispatchEvent(new KeyboardEvent(type, { code, bubbles: true }));
      if (wanted.has(code)) turned.add(code); else turned.delete(code);
    }
  };
  window.addEventListener("keydown", event => {
    if (!event.isTrusted) return;
    const undo = event.code === "KeyZ" && (event.ctrlKey || event.metaKey);
    if ((event.ctrlKey || event.metaKey || event.altKey) && !undo) return;
    if (event.target instanceof Element && taken(event.target, event.code)) return;
    if (undo) press("undo");
    else if (event.code in presses) { if (!event.repeat) press(presses[event.code]); }
    else if ((event.code in ways && page.driven) || page.choices.includes(event.code)) {
      held.add(event.code);
      tell();
    }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  window.addEventListener("keyup", event => { if (held.delete(event.code)) tell(); }, true);
  window.addEventListener("blur", () => { held.clear(); tell(); });
  window.addEventListener("pointerdown", event => {
    if (event.target instanceof HTMLCanvasElement) document.activeElement?.blur();
  }, true);
  const poll = () => { tell(); turn(); };
  window.addEventListener("gamepadconnected", () => setInterval(poll, 50), { once: true });
})();</script>"""

_HELD = 0.5  # [s] of wall time for which the keys count as held after their last report


class Keyboard:
    """The keys and gamepads of all browsers.

    Attributes:
        presses: Functions for the names of keys in the page's script, which are called in the
            server's event loop.
    """

    def __init__(self) -> None:
        self.presses: dict[str, Callable[[], object]] = {}
        self._held = (0.0, 0.0, 0.0)  # expiry, up and left
        self._codes: tuple[str, ...] = ()

    @property
    def way(self) -> tuple[float, float]:
        """How far the keys for driving point up and left, each -1..1."""
        until, up, left = self._held
        return (up, left) if time.monotonic() < until else (0.0, 0.0)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the held keys for choices, the latest last."""
        return self._codes if time.monotonic() < self._held[0] else ()

    def answering(self, inner: ProcessRequest) -> ProcessRequest:
        """Returns a request handler that takes the reports of the page's script."""

        def process(connection: Any, request: Request) -> Response | None:
            address = urlsplit(request.path)
            if address.path != "/input":
                return inner(connection, request)
            status = http.HTTPStatus.NO_CONTENT
            try:
                self._take({name: each[-1] for name, each in parse_qs(address.query).items()})
            except (KeyError, ValueError):
                status = http.HTTPStatus.BAD_REQUEST
            return Response(status, status.phrase, Headers({"Content-Length": "0"}), b"")

        return process

    def _take(self, report: dict[str, str]) -> None:
        if "press" in report:
            self.presses[report["press"]]()
            return
        up, left = float(report["up"]), float(report["left"])
        if not (math.isfinite(up) and math.isfinite(left)):
            raise ValueError(f"up and left must be finite, got {up} and {left}")
        self._codes = tuple(report.get("keys", "").split())
        self._held = time.monotonic() + _HELD, max(-1.0, min(1.0, up)), max(-1.0, min(1.0, left))
