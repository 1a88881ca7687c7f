# SPDX-License-Identifier: Apache-2.0
"""A worker: answers requests for fragments, whoever carries them."""

from __future__ import annotations

import contextlib
import json
import traceback
from typing import Any

from .packing import packed, unpacked
from .sampler import Sampler
from .spec import Spec


class Worker:
    """Answers requests, each of them bytes of `packing`.

    A request is ``{"fragment": number, "weights": None or a dict of arrays}``; the answer is
    ``{"fragment": number, "values": ...}``, or has ``"error"`` in place of the values.

    Args:
        setup: What `setup_text` returned.
    """

    def __init__(self, setup: str) -> None:
        plain = json.loads(setup)
        self._sampler = Sampler(
            plain["environment"],
            Spec(**plain["policy"]),
            plain["length"],
            plain["worlds"],
            plain["root"],
        )

    def answer(self, request: bytes) -> bytes:
        """The answer to a request; an error of the task or the policy is an answer too."""
        asked = unpacked(request)
        number = asked["fragment"]
        try:
            if asked["weights"] is not None:
                self._sampler.set_weights(asked["weights"])
            return packed({"fragment": number, "values": tuple(self._sampler.sample(number))})
        except Exception as error:
            told = {
                "kind": type(error).__name__,
                "message": str(error),
                "traceback": traceback.format_exc(),
            }
            # What an error leaves behind must not reach another fragment, nor replace the error.
            with contextlib.suppress(Exception):
                self._sampler.close()
            return packed({"fragment": number, "error": told})

    def close(self) -> None:
        """Closes the worlds."""
        self._sampler.close()


def setup_text(
    environment: dict[str, Any], policy: Spec, length: int, worlds: int, root: int
) -> str:
    """What a worker has to know, as JSON."""
    plain = {
        "environment": environment,
        "policy": {"make": policy.make, "kwargs": dict(policy.kwargs)},
        "length": length,
        "worlds": worlds,
        "root": root,
    }
    return json.dumps(plain)
