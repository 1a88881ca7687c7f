# SPDX-License-Identifier: Apache-2.0
"""Eight clients, one of them hostile: no action of the others is lost.

`UDE_SOAK_SECONDS=600 pytest libs/deepsim-envs/tests/ude/test_many_clients.py` takes ten minutes.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from functools import partial

import grpc
import numpy as np

from deepsim_envs.ude import RemoteEnvironment
from deepsim_envs.ude.codec import encode
from deepsim_envs.ude.messages import UNARY, Message, SideChannelMessage, to_bytes

NAMES = "abcdefg"
STEPS = 60
SECONDS = float(os.environ.get("UDE_SOAK_SECONDS", "0"))


class Run:
    """What the threads share: when all have acted, and at which step to stop."""

    def __init__(self, server):
        self.server = server
        self.begun = threading.Barrier(len(NAMES) + 1)
        # While all are there: when they have left, the hostile one may reset what nobody owns.
        self.ended = threading.Barrier(len(NAMES), action=self.count)
        self.total = 0
        self.last_step = STEPS if SECONDS == 0.0 else 2**31
        self.until = time.monotonic() + SECONDS
        self.done = threading.Event()
        self.errors = []
        self.steps = {}
        self.answers = Counter()

    def count(self):
        self.total = self.server.environment.environment.steps


def act(port, name, run):
    """Acts for one agent, and checks what the environment made of each action."""
    with RemoteEnvironment(port=port, timeout=60.0) as remote:
        observation, _ = remote.reset()
        total, acted = observation[name]
        while acted < run.last_step:
            number = (int(acted) % 7) / 2**20  # exact, and small enough never to end the episode
            result = remote.step({name: [number]})
            total, acted = total + number, acted + 1
            assert result.last_action[name] == [number]
            assert tuple(result.observation[name]) == (total, acted)
            if acted == 1:
                run.begun.wait(60.0)
            if name == NAMES[0] and run.last_step == 2**31 and time.monotonic() > run.until:
                run.last_step = acted + 10  # no client is that far ahead
        run.steps[name] = acted
        run.ended.wait(60.0)


def begin_and_leave(raw_client, metadata):
    """Waits for a step, and goes."""
    raw_client.begin("step", encode({}), metadata).cancel()


def attack(raw_client, golden, run):
    """Says everything that is wrong, until the others are done."""
    rng = np.random.default_rng(7)
    named = [("deepsim-ude-version", "1"), ("deepsim-client", "hostile")]
    huge = to_bytes(Message(content=bytes(2**20)))
    asked = 0
    run.begun.wait(60.0)
    while not run.done.is_set():
        another = [named[0], ("deepsim-client", str(asked))]
        attacks = [
            lambda: raw_client.send("step", rng.bytes(200)),
            lambda: raw_client.call("step", rng.bytes(300), named),
            lambda: raw_client.call("step", golden("pickle")),
            lambda: raw_client.call("step", encode({"a": [1.0]}), named),
            lambda: raw_client.call("step", encode({"nobody": [1.0]})),
            lambda: raw_client.call("step", encode([[[[[[1]]]]]] * 1000), named),
            lambda: raw_client.send("step", huge),
            lambda: raw_client.call("reset", None, named),
            lambda: raw_client.call("close"),
            lambda: raw_client.call("close", None, [*named, ("deepsim-leave", "1")]),
            lambda: raw_client.call("side_channel_send", SideChannelMessage("k", "v", True)),
            lambda: raw_client.send(str(rng.choice(UNARY)), rng.bytes(20)),
            lambda: raw_client.send("nonsense", b""),
            partial(raw_client.call, "step", encode({"a": [1.0]}), another, timeout=2.0),
            partial(begin_and_leave, raw_client, another),
        ]
        try:
            answer = attacks[asked % len(attacks)]()
            if answer is not None:
                run.answers[answer.status] += 1
        except grpc.RpcError as error:
            run.answers[error.code().name] += 1
        asked += 1


def test_no_action_is_lost(make_count, start, raw, golden):
    server = start(make_count(NAMES), max_clients=16)
    run = Run(server)

    def guarded(work, *args):
        try:
            work(*args)
        except BaseException as error:
            run.errors.append(error)
            run.begun.abort()
            run.ended.abort()

    attacker = threading.Thread(target=guarded, args=(attack, raw(server), golden, run))
    clients = [
        threading.Thread(target=guarded, args=(act, server.port, name, run)) for name in NAMES
    ]
    for thread in [*clients, attacker]:
        thread.start()
    for thread in clients:
        thread.join(SECONDS + 120.0)
    run.done.set()
    attacker.join(60.0)
    steps = run.total
    print(f"{steps} steps; the hostile client was answered {dict(run.answers)}")
    assert not run.errors
    assert run.steps == dict.fromkeys(NAMES, steps)
    assert steps >= STEPS
    assert run.answers[400] > 0
    assert run.answers[403] > 0
