# SPDX-License-Identifier: Apache-2.0
"""Latency and throughput of topics beside bare zenoh with as many bytes, and of shared memory.

One process sends, the other acknowledges each message with a few bytes. One message at a time is
the latency, eight at a time are the throughput. Ours packs arrays into a frame, and reads them from
it on the other side; bare zenoh sends bytes that are there, and takes them as bytes. Rounds of both
take turns; ratios are medians over rounds of what one takes by what the other takes in that round.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import zenoh
from report import write

from deepsim_transport import Master
from deepsim_transport.rows import pack, unpack
from deepsim_transport.session.settings import settings

ROUNDS = 40
SECONDS = 0.05  # of a turn; short ones, so that both sides of a ratio meet the same machine
WINDOW = 8  # messages on their way, for the throughput
FRAMES = {
    "10 bodies": {"models.pose": np.random.default_rng(0).normal(size=(10, 7))},
    "1000 bodies": {"models.pose": np.random.default_rng(0).normal(size=(1000, 7))},
    "picture 640 x 480": {"rgb": np.zeros((1, 480, 640, 3), np.uint8)},
}
BAR = 0.7
BLOCK = zenoh.CongestionControl.BLOCK  # nothing is lost
HEADER = {"run": "0" * 32, "number": 1, "generation": 1, "paused": False}


def session(port: int, shared: bool) -> Any:
    """Opens a session, with shared memory or without."""
    config = settings("client", connect=[f"tcp/127.0.0.1:{port}"])
    config.insert_json5("transport/shared_memory/enabled", json.dumps(shared))
    return zenoh.open(config)


def acknowledge(port: int, shared: bool) -> None:
    """Is the other process: reads what comes, and answers with a few bytes."""
    opened = session(port, shared)
    acknowledged = opened.declare_publisher(f"{shared}/ack")

    def ours(sample: Any) -> None:
        unpack(sample.payload.to_bytes())
        acknowledged.put(b"1")

    def bare(sample: Any) -> None:
        sample.payload.to_bytes()
        acknowledged.put(b"1")

    subscribers = [
        opened.declare_subscriber(f"{shared}/{each.__name__}", each) for each in (ours, bare)
    ]
    print("ready", flush=True)
    sys.stdin.read()
    del subscribers
    opened.close()


class Sender:
    """Sends to a process of its own, with shared memory or without."""

    def __init__(self, port: int, shared: bool) -> None:
        program = f"import transport_topics as t; t.acknowledge({port}, {shared})"
        self.process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent,
        )
        assert self.process.stdout is not None
        self.process.stdout.readline()
        self.session = session(port, shared)
        self.heard = threading.Semaphore(0)
        self.subscriber = self.session.declare_subscriber(
            f"{shared}/ack", lambda _: self.heard.release()
        )
        declare = partial(self.session.declare_publisher, congestion_control=BLOCK)
        self.publishers = {name: declare(f"{shared}/{name}") for name in ("ours", "bare")}
        while not all(each.matching_status.matching for each in self.publishers.values()):
            time.sleep(0.01)

    def rate(self, name: str, payload: Callable[[], bytes], window: int) -> float:
        """Returns the messages per second, so many of which are on their way at once."""
        publisher, heard = self.publishers[name], self.heard
        for _ in range(window):
            publisher.put(payload())
        done, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < SECONDS:
            if not heard.acquire(timeout=5.0):
                raise RuntimeError("a message was lost")
            publisher.put(payload())
            done += 1
        for _ in range(window):
            heard.acquire(timeout=5.0)
        return done / passed

    def close(self) -> None:
        """Ends the other process."""
        self.process.communicate()
        self.session.close()


def main() -> int:
    """Measures, prints, and writes results/transport_topics.json."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found: dict[str, Any] = {"bar": BAR}
    below = []
    with Master("127.0.0.1", port):
        for name, arrays in FRAMES.items():
            rates = compare(port, arrays)
            for kind in ("latency", "throughput"):
                ours, bare, copied = (rates[kind][each] for each in ("ours", "bare", "copied"))
                label = f"{name}, {kind}"
                ratio = float(median(np.divide(ours, bare)))
                found[f"{label}: ours / bare zenoh"] = ratio
                found[f"{label}: shared memory / without, ours"] = float(
                    median(np.divide(ours, copied))
                )
                found[f"{label}: messages per second, ours"] = float(median(ours))
                if ratio < BAR:
                    below.append(label)
    write("transport_topics", found, "eclipse-zenoh")
    return int(bool(below))


def compare(port: int, arrays: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Returns the messages per second of each round: ours, bare, and ours without shared memory."""
    bytes_ = pack(HEADER, arrays)
    rates: dict[str, dict[str, list[float]]] = {
        kind: {"ours": [], "bare": [], "copied": []} for kind in ("latency", "throughput")
    }
    shared, copied = Sender(port, shared=True), Sender(port, shared=False)
    turns = {
        "ours": partial(shared.rate, "ours", lambda: pack(HEADER, arrays)),
        "bare": partial(shared.rate, "bare", lambda: bytes_),
        "copied": partial(copied.rate, "ours", lambda: pack(HEADER, arrays)),
    }
    for number in range(ROUNDS):
        order = [*turns][:: 1 if number % 2 else -1]  # each follows the other as often
        for kind, window in (("latency", 1), ("throughput", WINDOW)):
            for name in order:
                rates[kind][name].append(turns[name](window))
    shared.close()
    copied.close()
    return rates


if __name__ == "__main__":
    sys.exit(main())
