# SPDX-License-Identifier: Apache-2.0
"""Steps that several clients share: actions are gathered, one step is made, all get its result."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from enum import Enum
from typing import Any

from deepsim_envs.errors import (
    ActionError,
    ClosedEnvironmentError,
    ObservationError,
    ResetNeededError,
)
from deepsim_envs.spaces import conform, require_within
from deepsim_sync import CallbackError, ClosedWorldError, SimulationError

from .clients import Client, Clients
from .codec import Limits, encode
from .codec.columns import Tagged
from .environment import UDEEnvironment
from .errors import PayloadError, RefusedError, ServerError

_LOG = logging.getLogger(__name__)
_PLAIN = (
    ActionError,
    ClosedEnvironmentError,
    ObservationError,
    PayloadError,
    ResetNeededError,
    SimulationError,
)
ENVIRONMENT_ERROR = "UDEEnvException"


class StepMode(Enum):
    """What a step waits for."""

    WAIT_FOREVER = "wait_forever"
    """An action of every agent that is not done."""
    PERIODIC = "periodic"
    """That, or the end of a period, which begins with the first call of a step. An agent without
    an action then repeats its last one of the episode; one that has not acted yet is waited for."""


class _Round:
    """A step that is to come."""

    def __init__(self) -> None:
        self.actions: dict[str, Any] = {}
        self.result: Future[bytes] = Future()
        self.timer: threading.Timer | None = None
        self.is_due = False
        self.has_callers = False


class Rounds:
    """Steps and resets an environment for clients; in a thread of its own, one thing at a time.

    Args:
        environment: Whose calls these are.
        clients: Who may do what.
        mode: What a step waits for.
        period: The period of PERIODIC, s.
        limits: Of the results.
    """

    def __init__(
        self,
        environment: UDEEnvironment,
        clients: Clients,
        mode: StepMode,
        period: float,
        limits: Limits,
    ) -> None:
        self._environment = environment
        self._clients = clients
        self._mode = mode
        self._period = period
        self._limits = limits
        self._thread = ThreadPoolExecutor(1, "ude-environment", self._claim_world)
        self._lock = threading.Lock()
        self._round = _Round()
        self._live = environment.live_agents
        self._last_actions: dict[str, Any] = {}
        self._pending = 0
        self._episode = 0
        self._opening: tuple[int | None, bytes] | None = None
        self._stopped = False

    def step(self, client: Client, action_dict: Any) -> Future[bytes]:
        """Adds a client's actions to the next step.

        Returns:
            The encoded result, which all callers of the step share.

        Raises:
            RefusedError: The actions are malformed, or another client's agent is among them; then
                none of them counts.
            ServerError: The server is closing.
        """
        actions = self._checked(action_dict)
        with self._lock:
            self._require_running()
            self._clients.claim(client, actions)
            round_ = self._round
            round_.actions.update(actions)
            round_.has_callers = True
            self._begin_if_complete()
            if self._mode is StepMode.PERIODIC and round_ is self._round and not round_.timer:
                round_.timer = threading.Timer(self._period, self._on_period, (round_,))
                round_.timer.daemon = True
                round_.timer.start()
        return round_.result

    def reset(self, client: Client, seed: int | None) -> Future[bytes]:
        """Begins an episode, or tells a client of one that another client has just begun.

        Returns:
            The encoded result; a `RefusedError` if others act for all agents.
        """
        return self.run(lambda: self._reset(client, seed))

    def run(self, work: Callable[[], bytes]) -> Future[bytes]:
        """Has something done between steps.

        Raises:
            ServerError: The server is closing.
        """
        with self._lock:
            self._require_running()
            self._pending += 1
            return self._thread.submit(self._finished, work)

    def missing(self) -> list[str]:
        """Agents whose actions the next step still needs."""
        with self._lock:
            return [name for name in self._live if name not in self._round.actions]

    def stop(self) -> None:
        """Refuses all who wait, and returns when the environment is at rest.

        The caller's thread owns the world from then on.
        """
        with self._lock:
            self._stopped = True
            left, self._round = self._round, _Round()
        if left.timer:
            left.timer.cancel()
        left.result.set_exception(ServerError("the server is closing", 503))
        self._thread.shutdown(wait=True)
        self._claim_world()

    def _claim_world(self) -> None:
        """Hands the world to the thread that steps, or to the one that stops the server."""
        with suppress(ClosedWorldError):
            self._environment.environment.world.claim()

    def _checked(self, action_dict: Any) -> dict[str, Any]:
        if not isinstance(action_dict, Mapping):
            raise RefusedError("a step needs a dict of actions by agent", 400)
        actions = {}
        spaces = self._environment.action_space
        for name, action in action_dict.items():
            if name not in spaces:
                raise RefusedError(f"no agent is named {name!r}: there are {list(spaces)}", 400)
            try:
                _require_no_text(action)
                actions[name] = conform(spaces[name], action, f"action of agent {name!r}")
                require_within(spaces[name], actions[name], f"action of agent {name!r}")
            except (ValueError, TypeError, OverflowError) as error:
                raise RefusedError(str(error), 400) from None
        return actions

    def _require_running(self) -> None:
        if self._stopped:
            raise ServerError("the server is closing", 503)

    def _on_period(self, round_: _Round) -> None:
        with self._lock:
            round_.is_due = True
            if round_ is self._round and not self._stopped:
                self._begin_if_complete()

    def _begin_if_complete(self) -> None:
        round_ = self._round
        known = self._last_actions if round_.is_due else {}
        if (
            self._pending
            or not round_.has_callers
            or any(name not in round_.actions and name not in known for name in self._live)
        ):
            return
        actions = {**known, **round_.actions}
        self._last_actions |= round_.actions
        if round_.timer:
            round_.timer.cancel()
        self._round = _Round()
        self._pending += 1
        done = self._thread.submit(self._finished, lambda: self._step(actions))
        done.add_done_callback(lambda done: _hand_over(done, round_.result))

    def _finished(self, work: Callable[[], bytes]) -> bytes:
        """Does something in the environment's thread; then the next round may begin."""
        try:
            return work()
        finally:
            with self._lock:
                self._pending -= 1
                self._live = self._environment.live_agents
                if not self._environment.environment.steps.any():  # what was done before is over
                    self._last_actions.clear()
                if not self._stopped:
                    self._begin_if_complete()

    def _step(self, actions: dict[str, Any]) -> bytes:
        self._opening = None
        return self._answered(lambda: tuple(self._environment.step(action_dict=actions)))[0]

    def _reset(self, client: Client, seed: int | None) -> bytes:
        if self._opening is not None and client.told != self._episode:
            first_seed, payload = self._opening
            if seed is None or seed == first_seed:
                client.told = self._episode
                return payload
        if self._clients.all_are_others(client, self._live):
            raise RefusedError("other clients act for all agents of this episode", 403)
        self._opening = None
        payload, has_begun = self._answered(lambda: self._environment.reset(seed))
        # Only now: actions that came while it was reset were meant for the former episode too.
        with self._lock:
            left, self._round = self._round, _Round()
        if left.timer:
            left.timer.cancel()
        left.result.set_exception(
            RefusedError("another client has reset the environment meanwhile: act anew", 409)
        )
        if has_begun:
            self._episode += 1
            client.told = self._episode
            self._opening = (seed, payload)
        return payload

    def _answered(self, work: Callable[[], Any]) -> tuple[bytes, bool]:
        """What some work returns, encoded, and True; if it raises, what clients are told of it."""
        try:
            return encode(work(), self._limits), True
        except Exception as error:
            _LOG.log(
                logging.INFO if isinstance(error, _PLAIN) else logging.ERROR,
                "the environment raised",
                exc_info=not isinstance(error, _PLAIN),
            )
            return encode(Tagged(ENVIRONMENT_ERROR, {"message": _told(error)})), False


def _told(error: Exception) -> str:
    """What clients are told of an error: what is theirs to know, never what a callback raised."""
    if isinstance(error, _PLAIN):
        return str(error)
    if isinstance(error, CallbackError):
        return f"{error.owner}.{error.hook} raised in tick {error.tick}: see the server's log"
    return "the environment failed: see the server's log"


def _require_no_text(action: Any) -> None:
    """No space of the wire has text, of which numpy would make arrays as wide as the longest."""
    if isinstance(action, (str, bytes)):
        raise ValueError("an action must be of numbers, got text")
    if isinstance(action, (list, tuple, Mapping)):
        for part in action.values() if isinstance(action, Mapping) else action:
            _require_no_text(part)


def _hand_over(done: Future[bytes], result: Future[bytes]) -> None:
    error = done.exception()
    if error is None:
        result.set_result(done.result())
    else:
        result.set_exception(error)
