# SPDX-License-Identifier: Apache-2.0
"""Steps that several clients share: collects their actions, steps once, and answers all clients.

One lock guards all state. The thread that holds it calls the environment.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
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

from .codec import Limits, decode, encode
from .codec.union import Tagged
from .environment import UDEEnvironment
from .errors import PayloadError, RefusedError, ServerError

_LOG = logging.getLogger(__name__)
_PLAIN = (
    ClosedEnvironmentError,
    ObservationError,
    PayloadError,
    ResetNeededError,
    SimulationError,
)
_CALLER_CHECK = 0.5  # interval between checks that a caller is still waiting [s]
ENVIRONMENT_ERROR = "UDEEnvException"


class StepMode(Enum):
    """When a server steps its environment."""

    WAIT_FOREVER = "wait_forever"
    """When it has an action for every agent that is not done."""
    PERIODIC = "periodic"
    """As `WAIT_FOREVER`, but at the latest at the end of a period, which begins with the first call
    for the step. Agents without an action then repeat their last one. The step still waits for
    agents that have not acted in the episode yet."""


@dataclass(frozen=True)
class Rules:
    """The settings of a server; see `UDEServer`."""

    token: str | None
    step_mode: StepMode
    period: float
    step_timeout: float
    lease: float
    max_clients: int
    limits: Limits
    allow_close: bool


class Places:
    """A limited number of places for calls; if all are taken, a new call replaces an old one.

    The peer that holds the most places loses its oldest one, so that no peer can lock others out by
    taking many places.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[object, tuple[str, Callable[[], None]]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, peer: str, give_way: Callable[[], None]) -> Iterator[None]:
        """Takes a place for a peer.

        If another call needs the place, `give_way` is called in another thread; it must not block.
        """
        place = object()
        with self._lock:
            if len(self._taken) >= self._most:
                counts = Counter(other for other, _ in self._taken.values())
                oldest = max(self._taken, key=lambda taken: counts[self._taken[taken][0]])
                self._taken.pop(oldest)[1]()
            self._taken[place] = peer, give_way
        try:
            yield
        finally:
            with self._lock:
                self._taken.pop(place, None)


@dataclass(eq=False)
class Round:
    """The next step, or another call that takes effect once."""

    actions: dict[str, Any] = field(default_factory=dict)
    """The actions so far, by agent."""
    due: float | None = None
    """The time at which a periodic step is due, on the monotonic clock [s]."""
    outcome: bytes | Exception | None = None
    """The encoded result for all callers, or the error for all of them."""


@dataclass(eq=False)
class Client:
    """A client and its requests."""

    owns: bool
    """Whether the client owns the agents for which it acts; False for the package ``ude``."""
    waiting: int = 0
    """The number of calls that wait for a step."""
    stream: Any = None
    """The open call of the client's side channel, or None."""
    seen: float = 0.0
    """The time of the client's last call, on the monotonic clock [s]."""
    episode: int = 0
    """The latest episode that the client began or joined."""
    answered: dict[str, tuple[int, Round]] = field(default_factory=dict)
    """The number of the last request and its round, which also answers a retry, by kind of call:
    ``"episode"`` for steps and resets, ``"sends"`` for the side channel."""

    @property
    def is_here(self) -> bool:
        """Whether the client has an open call."""
        return self.waiting > 0 or self.stream is not None


class Steps:
    """Steps and resets an environment for clients; see `UDEServer` for the arguments."""

    def __init__(self, environment: UDEEnvironment, rules: Rules) -> None:
        self._environment, self._rules = environment, rules
        self._period = rules.period if rules.step_mode is StepMode.PERIODIC else None
        self._timeout = rules.step_timeout
        self._places = Places(rules.max_clients)
        self._changed = threading.Condition()
        self._registering = threading.Lock()
        self._clients: dict[str, Client] = {}
        self._owners: dict[str, Client] = {}
        self._round = Round()
        self._live = environment.live_agents
        self._last_actions: dict[str, Any] = {}
        self._resets = 0
        self._opening: tuple[int | None, bytes] | None = None
        self._stopped = False

    # Clients

    def client(self, name: str | None, peer: str) -> Client:
        """Returns the client with this name; without a name, the client of this connection."""
        key = peer if name is None else f"name {name}"
        with self._registering:
            client = self._clients.pop(key, None)
            if client is None:
                client = Client(name is not None)
            self._clients[key] = client  # moves the client to the end
            client.seen = time.monotonic()
            if len(self._clients) > 4 * self._rules.max_clients:
                idle = (known for known, other in self._clients.items() if not other.is_here)
                del self._clients[next(idle)]
        return client

    def leave(self, client: Client) -> None:
        """Frees the agents of a client."""
        with self._changed:
            for agent in [agent for agent, owner in self._owners.items() if owner is client]:
                del self._owners[agent]

    # Calls

    def step(self, client: Client, payload: bytes, request: int | None, context: Any) -> bytes:
        """Adds a client's actions to the next step; returns the encoded result of the step.

        Raises:
            PayloadError, RefusedError: The actions are malformed, or one of them is for another
                client's agent; none of the actions is added.
            ServerError: The server is closing, or other clients did not act in time.
        """
        resets = self._resets
        given, live = decode(payload, self._rules.limits), self._live
        actions = self._checked(given, live)
        with self._turn(context):
            found = self._repeated(client, "episode", request)
            if found is None:
                if resets != self._resets:  # The call came during a reset, for the last episode.
                    raise RefusedError("the environment was reset meanwhile: act again", 409)
                if live is not self._live:
                    actions = self._checked(given, ())
                self._claim(client, actions)
                found = self._begun(client, "episode", request, self._round)
                found.actions.update(actions)
                if self._period is not None and found.due is None:
                    found.due = time.monotonic() + self._period
                self._step_if_complete()
            if found.outcome is None:
                self._wait(client, found, context)
            return _outcome(found)

    def reset(self, client: Client, seed: int | None, request: int | None, context: Any) -> bytes:
        """Begins an episode, or joins one that another client has just begun.

        Raises:
            RefusedError: Other clients act for all agents.
        """
        return self.once(client, "episode", request, context, lambda: self._reset(client, seed))

    def once(
        self,
        client: Client,
        sequence: str,
        request: int | None,
        context: Any,
        work: Callable[[], bytes],
    ) -> bytes:
        """Calls `work` between steps and returns its result; a retry gets the same result."""
        with self._turn(context):
            found = self._repeated(client, sequence, request)
            if found is None:
                found = self._begun(client, sequence, request, Round())
                self._claim_world()
                try:
                    found.outcome = work()
                except (RefusedError, ServerError) as error:
                    found.outcome = error
                finally:
                    self._refresh()
            return _outcome(found)

    def missing(self) -> list[str]:
        """Returns the agents for which the next step still needs actions."""
        return [name for name in self._live if name not in self._round.actions]

    def stop(self) -> None:
        """Refuses all waiting calls, and returns when no call uses the environment any longer.

        Afterwards, the world belongs to the caller's thread.
        """
        self._stopped = True
        with self._changed:
            self._abandon(ServerError("the server is closing", 503))
            self._claim_world()

    # With the lock

    @contextmanager
    def _turn(self, context: Any) -> Iterator[None]:
        """Holds the lock.

        Raises:
            ServerError: The server is closing, or the environment was busy for too long.
        """
        if not self._changed.acquire(blocking=False):
            if not self._changed.acquire(timeout=self._timeout):
                raise ServerError(f"the environment is busy for {self._timeout:g} s", 504)
            if not context.is_active():
                self._changed.release()
                raise ServerError("the caller is gone", 504)
        try:
            if self._stopped:
                raise ServerError("the server is closing", 503)
            yield
        finally:
            self._changed.release()

    def _repeated(self, client: Client, sequence: str, request: int | None) -> Round | None:
        """Returns the round of an earlier attempt; None for a new request."""
        if request is None or sequence not in client.answered:
            return None
        latest, found = client.answered[sequence]
        if request < latest:
            raise RefusedError(f"request {request} is older than {latest}", 409)
        return found if request == latest else None

    @staticmethod
    def _begun(client: Client, sequence: str, request: int | None, round_: Round) -> Round:
        if request is not None:
            client.answered[sequence] = request, round_
        return round_

    def _wait(self, client: Client, round_: Round, context: Any) -> None:
        """Waits for the outcome of a round; steps the environment when the step is due."""
        until = time.monotonic() + self._timeout
        has_place = True

        def give_way() -> None:
            nonlocal has_place
            has_place = False
            self._changed.notify_all()

        client.waiting += 1
        try:
            with self._places.taken(context.peer(), give_way):
                while round_.outcome is None:
                    now = time.monotonic()
                    if not has_place:
                        raise RefusedError("too many calls wait: this one gave way", 429)
                    if now >= until:
                        missing = ", ".join(self.missing())
                        raise ServerError(
                            f"no step within {self._timeout:g} s: no actions of {missing}", 504
                        )
                    if not context.is_active():
                        raise ServerError("the caller is gone", 504)
                    wake = min(until, now + _CALLER_CHECK)
                    if round_.due is not None and round_.due > now:
                        wake = min(wake, round_.due)
                    elif round_.due is not None:
                        self._step_if_complete()
                    if round_.outcome is None:
                        self._changed.wait(wake - now)
        finally:
            client.waiting -= 1

    def _checked(self, action_dict: Any, live: tuple[str, ...]) -> dict[str, Any]:
        """Returns checked actions; the environment itself checks those for all live agents."""
        if not isinstance(action_dict, Mapping):
            raise RefusedError("a step needs a dict of actions by agent", 400)
        is_whole = live and all(name in action_dict for name in live)
        actions = {}
        spaces = self._environment.action_space
        for name, action in action_dict.items():
            if name not in spaces:
                raise RefusedError(f"no agent is named {name!r}: there are {list(spaces)}", 400)
            try:
                _require_no_text(action)
                if not is_whole or name not in live:
                    action = conform(spaces[name], action, f"action of agent {name!r}")
                    require_within(spaces[name], action, f"action of agent {name!r}")
            except (ValueError, TypeError, OverflowError) as error:
                raise RefusedError(str(error), 400) from None
            actions[name] = action
        return actions

    def _claim(self, client: Client, agents: Iterable[str]) -> None:
        for agent in agents:
            if self._is_others(agent, client):
                raise RefusedError(f"agent {agent!r} is acted for by another client", 403)
        if client.owns:
            self._owners.update(dict.fromkeys(agents, client))

    def _is_others(self, agent: str, client: Client) -> bool:
        owner = self._owners.get(agent)
        if owner is None or owner is client:
            return False
        return owner.is_here or time.monotonic() - owner.seen < self._rules.lease

    def _claim_world(self) -> None:
        with suppress(ClosedWorldError):
            self._environment.environment.world.claim()

    def _step_if_complete(self) -> None:
        """Steps the environment if every agent that is not done has an action."""
        round_ = self._round
        is_due = round_.due is not None and time.monotonic() >= round_.due
        known = self._last_actions if is_due else {}
        if any(name not in round_.actions and name not in known for name in self._live):
            return
        actions = {**known, **round_.actions}
        self._round = Round()
        self._claim_world()
        try:
            round_.outcome = self._answered(
                lambda: tuple(self._environment.step(action_dict=actions))
            )[0]
            self._last_actions |= round_.actions
            self._opening = None
        except ActionError as error:
            round_.outcome = RefusedError(str(error), 400)
        finally:
            self._refresh()

    def _reset(self, client: Client, seed: int | None) -> bytes:
        if self._opening is not None and client.episode != self._resets:
            first_seed, payload = self._opening
            if seed is None or seed == first_seed:
                client.episode = self._resets
                return payload
        if self._live and all(self._is_others(agent, client) for agent in self._live):
            raise RefusedError("other clients act for all agents of this episode", 403)
        self._opening = None
        payload, has_begun = self._answered(lambda: self._environment.reset(seed))
        self._resets += 1
        self._abandon(
            RefusedError("another client has reset the environment meanwhile: act again", 409)
        )
        if has_begun:
            client.episode = self._resets
            self._opening = (seed, payload)
        return payload

    def _abandon(self, reason: Exception) -> None:
        self._round.outcome, self._round = reason, Round()
        self._changed.notify_all()

    def _refresh(self) -> None:
        """Updates the live agents, and wakes all waiting calls."""
        self._live = self._environment.live_agents
        if not self._environment.environment.steps.any():  # a new episode
            self._last_actions.clear()
        self._changed.notify_all()

    def _answered(self, work: Callable[[], Any]) -> tuple[bytes, bool]:
        """Returns the encoded result of `work` and True, or its encoded error and False."""
        try:
            return encode(work(), self._rules.limits), True
        except ActionError:  # The environment has not changed.
            raise
        except Exception as error:
            _LOG.log(
                logging.INFO if isinstance(error, _PLAIN) else logging.ERROR,
                "the environment raised",
                exc_info=not isinstance(error, _PLAIN),
            )
            return encode(Tagged(ENVIRONMENT_ERROR, {"message": _public_reason(error)})), False


def _outcome(round_: Round) -> bytes:
    if isinstance(round_.outcome, bytes):
        return round_.outcome
    raise round_.outcome or ServerError("the server failed: see its log", 500)


def _public_reason(error: Exception) -> str:
    """Returns the text of an error for clients, without details from a callback's error."""
    if isinstance(error, _PLAIN):
        return str(error)
    if isinstance(error, CallbackError):
        return f"{error.owner}.{error.hook} raised in tick {error.tick}: see the server's log"
    return "the environment failed: see the server's log"


def _require_no_text(action: Any) -> None:
    """Raises a ValueError for text: no space has it, and NumPy would make large arrays of it."""
    if isinstance(action, (str, bytes)):
        raise ValueError("an action must be of numbers, got text")
    if isinstance(action, (list, tuple, Mapping)):
        for part in action.values() if isinstance(action, Mapping) else action:
            _require_no_text(part)
