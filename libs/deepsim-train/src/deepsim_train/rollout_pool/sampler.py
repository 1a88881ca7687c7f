# SPDX-License-Identifier: Apache-2.0
"""Computes fragments in a worker."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Sequence
from typing import Any

from deepsim_envs.function_names import find_function
from deepsim_sync import call_all

from .arrays import packed, unpacked
from .memory import PolicyMemory
from .ongoing import OngoingEpisodes
from .policy import Policy, RecurrentPolicy
from .rollout import Rollout
from .spec import Spec
from .streams import Trail
from .worlds import RolloutWorlds, make_rollout_worlds


class Sampler:
    """Computes fragments of one task and one policy.

    The random numbers of fragment f come from child f of ``SeedSequence(root)``. The child seeds
    the policy's generator, and has one child for each world, which spawns the seeds of the episodes
    that begin in that world. The sampler makes policy and worlds on first use, and keeps them.

    Args:
        environment: Makes the environment; see `spec.portable`.
        policy: Makes the policy.
        length: The number of steps of a fragment.
        worlds: The number of worlds of a fragment.
        root: The root of all seeds.
    """

    def __init__(
        self, environment: Spec, policy: Spec, length: int, worlds: int, root: int
    ) -> None:
        self._environment, self._policy_spec = environment, policy
        self._length, self._count = length, worlds
        self._root = root
        self._streams: dict[int, OngoingEpisodes] = {}
        self._spare: list[RolloutWorlds] = []  # free because other workers took over the streams
        self._policy: Policy | RecurrentPolicy | None = None

    def answer(self, request: bytes, weights: bytes | None) -> bytes:
        """Returns a packed fragment, or the packed error of the task or the policy.

        A fragment comes with the number of steps of each unfinished episode, and with the policy's
        memory.

        Args:
            request: The fragment number, the weights version and the `Assignment`, packed.
            weights: New weights of the policy, packed; None keeps the current ones.
        """
        number, version, (stream, held, trail) = unpacked(request)
        try:
            episodes = self._episodes(stream, held, trail)
            policy = self._made_policy(episodes.worlds)
            if weights is not None:
                policy.set_weights(unpacked(weights))
            agents = [name for group in episodes.worlds.groups for name in group.names]
            remembering = PolicyMemory(policy, agents, self._count, episodes.memory)
            rollout = Rollout(episodes, self._length, self._root, number)
            fragment = rollout.run(remembering, version)
            episodes.memory = remembering.copy()
            return packed((tuple(fragment), episodes.steps, episodes.memory))
        except Exception as error:
            kind, message, trace = type(error).__name__, str(error), traceback.format_exc()
            # No other fragment may see the state after an error; errors of close are ignored.
            with contextlib.suppress(Exception):
                self.close()
            return packed({"kind": kind, "message": message, "traceback": trace})

    def close(self) -> None:
        """Closes the worlds and forgets the policy; the next fragment makes both again."""
        self._policy = None
        worlds = [*self._spare, *(episodes.worlds for episodes in self._streams.values())]
        self._streams, self._spare = {}, []
        call_all(each.close for each in worlds)

    def _episodes(self, stream: int, held: Sequence[int], trail: Any) -> OngoingEpisodes:
        """Returns the episodes of a stream, and frees the worlds of streams not in `held`."""
        kept = set(held) if trail is None else set(held) - {stream}
        for other in self._streams.keys() - kept:
            self._spare.append(self._streams.pop(other).worlds)
        if trail is not None:
            worlds = (
                self._spare.pop()
                if self._spare
                else make_rollout_worlds(self._environment, self._count)
            )
            episodes = self._streams[stream] = OngoingEpisodes(worlds, self._count)
            if trail:
                episodes.replay(Trail(*trail), self._length)
        return self._streams[stream]

    def _made_policy(self, worlds: RolloutWorlds) -> Policy | RecurrentPolicy:
        if self._policy is None:
            self._policy = find_function(self._policy_spec.make)(
                observation_space={n: g.observation_space for g in worlds.groups for n in g.names},
                action_space={n: g.action_space for g in worlds.groups for n in g.names},
                **self._policy_spec.kwargs,
            )
        return self._policy
