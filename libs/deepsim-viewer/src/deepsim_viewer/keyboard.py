# SPDX-License-Identifier: Apache-2.0
"""The keys and gamepads of the page, which viser does not report to Python."""

from __future__ import annotations

import http
import math
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from .access import ProcessRequest

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
