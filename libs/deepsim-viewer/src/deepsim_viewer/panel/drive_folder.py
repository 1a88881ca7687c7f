# SPDX-License-Identifier: Apache-2.0
"""Manual control of one agent by sliders, buttons and a stick for its action space."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import viser
import viser.transforms as vtf
from numpy.typing import NDArray

from deepsim_envs import Environment
from deepsim_viewer.joint import GuardedServer
from deepsim_viewer.keyboard import CHOICES

from .run_folder import plain_lines

_POLICY = "the policy"
_WIDEST = 1.0  # range of an unbounded entry of an action
_HELD = 0.2  # [s] of wall time for which a button counts as held after its last event
_RATE = 20.0  # rate of the events of a held button [Hz]
_MOST = 8  # largest number of entries or choices that get buttons


class DriveFolder:
    """The controls for the agent that is driven by hand.

    Sliders keep their values; buttons and the stick act while held, in addition to the sliders. All
    are reset when the browser that last touched one of them disconnects. Discrete choices also have
    keys, which the folder lists. Only agents whose actions are vectors of numbers or discrete
    choices are offered.

    Args:
        server: The server of the browser.
        environment: The environment, for its names and spaces.
        driven: The slot that is driven from the start, or None.
    """

    def __init__(
        self, server: GuardedServer, environment: Environment, driven: str | None = None
    ) -> None:
        self._server = server
        self._spaces = {
            slot: space
            for slot, space in environment.action_space.items()
            if _bounds(space) is not None
        }
        self._sliders: list[Any] = []
        self._buttons: list[Any] = []
        self._keys: dict[str, tuple[int, float]] = {}  # entry and value of a choice by key
        self._held: tuple[float, int, float] = (0.0, 0, 0.0)  # expiry, entry, fraction
        self._driver: int | None = None
        gui = server.gui
        self._folder = gui.add_folder(
            "Drive", expand_by_default=driven is not None, visible=bool(self._spaces)
        )
        with self._folder:
            slots = (_POLICY, *self._spaces)
            self._slot: Any = gui.add_dropdown("By hand", slots, initial_value=driven)
            release = gui.add_button("Release", icon=viser.Icon.HAND_OFF)
        self._stick = Stick(server, self._touch)
        self._slot.on_update(lambda _: self._choose())
        release.on_click(lambda _: self._release())
        server.on_client_disconnect(self._gone)
        if driven is not None:
            self._choose()

    def override(self, actions: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the actions, with the driven agent's action taken from the controls."""
        slot, sliders = self._slot.value, tuple(self._sliders)
        if slot not in actions or not sliders:
            return actions
        space = self._spaces[slot]
        driven = np.array([slider.value for slider in sliders], dtype=np.float64)
        until, entry, share = self._held
        if time.monotonic() < until and entry < len(sliders):
            driven[entry] = share if _is_choice(space) else _pushed(sliders[entry], share)
        for code in self._server.keyboard.codes:
            if code in self._keys:
                entry, choice = self._keys[code]
                driven[entry] = choice
        for entry, share in self._stick_shares(len(sliders)):
            if share and not _is_choice(space):
                driven[entry] = _pushed(sliders[entry], share)
        return {**actions, slot: _action(space, driven)}

    def _stick_shares(self, count: int) -> list[tuple[int, float]]:
        """Returns the entries that the stick moves, each with a fraction of its range, -1..1.

        A single entry follows the stick to the right. Of several entries, the first follows the
        stick upwards, and the second follows it to the left. The keys act like the stick.
        """
        up, left = self._server.keyboard.way
        up, left = np.clip((up + self._stick.up, left + self._stick.left), -1.0, 1.0).tolist()
        return [(0, -left)] if count == 1 else [(0, up), (1, left)]

    def _choose(self) -> None:
        for control in (*self._sliders, *self._buttons):
            control.remove()
        self._sliders, self._buttons = [], []
        self._held = (0.0, 0, 0.0)
        space = self._spaces.get(self._slot.value)
        bounds = None if space is None else _bounds(space)
        by_stick = bounds is not None and not _is_choice(space)
        self._stick.show(by_stick)
        ranges = [] if bounds is None else list(zip(*bounds, strict=True))
        self._keys = {} if by_stick else _keys_of(ranges)
        self._server.let_keys_drive(by_stick, self._keys)
        if bounds is None:
            return
        with self._folder:
            if _is_choice(space):
                for entry, choice in islice(_choices(ranges), _MOST):
                    name = f"{choice}" if len(ranges) == 1 else f"{entry} = {choice}"
                    self._add_button(f"Hold {name}", entry, float(choice))
                self._buttons.append(self._server.gui.add_html(plain_lines(*self._list())))
            else:
                for number in range(min(len(ranges), _MOST)):
                    self._add_button(f"Hold {number} -", number, -1.0)
                    self._add_button(f"Hold {number} +", number, 1.0)
            self._sliders = [
                self._add_slider(
                    number, low, high, 1.0 if _is_choice(space) else (high - low) / 200
                )
                for number, (low, high) in enumerate(ranges)
            ]

    def _list(self) -> list[str]:
        """Returns what each key does."""
        return [
            f"{code.removeprefix('Digit').removeprefix('Key')}: action {entry} = {choice:g}"
            for code, (entry, choice) in self._keys.items()
        ]

    def _add_slider(self, number: int, low: float, high: float, step: float) -> Any:
        rest = min(max(0.0, low), high)
        slider = self._server.gui.add_slider(f"action {number}", low, high, step, rest)
        slider.on_update(self._moved)
        return slider

    def _add_button(self, label: str, entry: int, share: float) -> None:
        button = self._server.gui.add_button(label)

        async def hold(event: Any) -> None:
            self._touch(event.client_id)
            self._held = (time.monotonic() + _HELD, entry, share)

        button.on_hold(hold, _RATE)
        self._buttons.append(button)

    async def _moved(self, event: Any) -> None:
        # On the server's loop: in a thread it could run after the browser disconnected.
        if event.client is not None:
            self._touch(event.client.client_id)

    def _touch(self, client: int) -> None:
        self._driver = client

    async def _gone(self, client: viser.ClientHandle) -> None:
        if client.client_id == self._driver:
            self._release()

    def _release(self) -> None:
        self._driver = None
        self._held = (0.0, 0, 0.0)
        self._stick.release()
        for slider in self._sliders:
            slider.value = min(max(0.0, slider.min), slider.max)


def _is_choice(space: Any) -> bool:
    return type(space).__name__ in ("Discrete", "MultiDiscrete")


def _choices(ranges: Sequence[tuple[float, float]]) -> Iterator[tuple[int, int]]:
    """Yields the entries of an action with each of their values."""
    for entry, (low, high) in enumerate(ranges):
        for choice in range(int(low), int(high) + 1):
            yield entry, choice


def _keys_of(ranges: Sequence[tuple[float, float]]) -> dict[str, tuple[int, float]]:
    """Returns entry and value by key: a row of the keyboard for each of the first entries."""
    return {
        code: (entry, low + number)
        for entry, ((low, high), row) in enumerate(zip(ranges, CHOICES, strict=False))
        for number, code in enumerate(row[: int(high - low) + 1])
    }


def _pushed(slider: Any, share: float) -> float:
    """Returns the value of a slider plus a fraction of the range on one side of its rest value."""
    rest = min(max(0.0, slider.min), slider.max)
    side = slider.max - rest if share > 0.0 else rest - slider.min
    return float(slider.value + share * side)


def _bounds(space: Any) -> tuple[list[float], list[float]] | None:
    """Returns the ranges of the sliders of an action's entries; None for other spaces."""
    if _is_choice(space):
        low = np.asarray(space.start).reshape(-1)
        high = low + np.asarray(getattr(space, "nvec", getattr(space, "n", 1))).reshape(-1) - 1
        return low.astype(float).tolist(), high.astype(float).tolist()
    if type(space).__name__ == "Box" and np.issubdtype(space.dtype, np.floating):
        low, high = (each.astype(np.float64).reshape(-1) for each in (space.low, space.high))
        bounded = np.isfinite(low) & np.isfinite(high)
        low = np.where(bounded, low, np.maximum(low, -_WIDEST))
        high = np.where(bounded, high, np.minimum(high, _WIDEST))
        return low.tolist(), high.tolist()
    return None


def _action(space: Any, driven: NDArray[np.float64]) -> Any:
    """Returns the action of a space for slider values."""
    if _is_choice(space):
        return np.rint(driven).astype(space.dtype).reshape(space.shape)[()]
    action = np.clip(driven.reshape(space.shape), space.low, space.high)
    return action.astype(space.dtype)


_DEPTH = 0.3  # distance from the camera [m]
_CORNER = (-0.78, 0.7)  # offset right and down from the centre, relative to half the picture
_REACH = 0.16  # range of the knob relative to half the height
_KNOB, _PLATE = "/stick/knob", "/stick/plate"


class Stick:
    """A knob that springs back when released, in the picture of each browser.

    Args:
        server: The server of the browsers.
        touched: Called with the number of the browser that moves the knob.

    Attributes:
        left: Deflection to the left, -1..1.
        up: Deflection upwards, -1..1.
    """

    def __init__(self, server: viser.ViserServer, touched: Callable[[int], object]) -> None:
        self._server, self._touched = server, touched
        self.left = self.up = 0.0
        self._nodes: dict[int, tuple[Any, Any]] = {}  # plate and knob by browser
        self._grabbed: NDArray[np.float64] | None = None
        self._is_shown = False
        server.on_client_connect(self._join)
        server.on_client_disconnect(self._part)

    def show(self, shown: bool) -> None:
        """Shows the knob in all browsers, or hides it if `shown` is False."""
        self._is_shown = shown
        self.release()
        for client in self._server.get_clients().values():
            if shown:
                self._add(client)
            else:
                self._remove(client)

    def release(self) -> None:
        """Centres the knob."""
        self.left = self.up = 0.0
        self._grabbed = None
        for client in self._server.get_clients().values():
            self._place(client)

    def _add(self, client: viser.ClientHandle) -> None:
        number = client.client_id
        if number in self._nodes:
            return
        reach = _REACH * _half_height(client)
        plain: Any = {"cast_shadow": False, "receive_shadow": False}
        plate = client.scene.add_icosphere(_PLATE, reach, color=(40, 50, 70), opacity=0.25, **plain)
        knob = client.scene.add_icosphere(_KNOB, 0.45 * reach, color=(50, 190, 100), **plain)
        for node in (plate, knob):  # the pointer hits the plate before the knob
            node.on_drag(self._drag)
        self._nodes[number] = plate, knob
        self._place(client)
        client.camera.on_update(lambda _: self._place(client))

    def _remove(self, client: viser.ClientHandle) -> None:
        for node in self._nodes.pop(client.client_id, ()):
            node.remove()

    def _place(self, client: viser.ClientHandle) -> None:
        """Puts the knob in the corner of the camera's picture."""
        if client.client_id not in self._nodes:
            return
        plate, knob = self._nodes[client.client_id]
        camera, half = client.camera, _half_height(client)
        right, down = _CORNER[0] * half * camera.aspect, _CORNER[1] * half
        way = _REACH * half
        turn = vtf.SO3(camera.wxyz)
        with client.atomic():
            plate.position = camera.position + turn @ np.array([right, down, _DEPTH])
            knob.position = camera.position + turn @ np.array(
                [right - way * self.left, down - way * self.up, _DEPTH]
            )

    async def _drag(self, event: Any) -> None:
        """Moves the knob with the pointer; the server's event loop keeps the events in order."""
        if event.phase == "end":
            self.release()
            return
        now = np.asarray(event.end_screen_pos, np.float64)  # 0..1, right and down
        if event.phase == "start" or self._grabbed is None:
            self._grabbed = now
        self._touched(event.client_id)
        camera = event.client.camera
        right, down = (now - self._grabbed) * (camera.aspect, 1.0) / (_REACH / 2.0)
        length = max(1.0, math.hypot(right, down))
        self.left, self.up = -right / length, -down / length
        self._place(event.client)

    async def _join(self, client: viser.ClientHandle) -> None:
        if self._is_shown:
            self._add(client)

    async def _part(self, client: viser.ClientHandle) -> None:
        self._nodes.pop(client.client_id, None)


def _half_height(client: viser.ClientHandle) -> float:
    """Returns half the height of the camera's view at the depth of the knob [m]."""
    return _DEPTH * math.tan(client.camera.fov / 2.0)
