# SPDX-License-Identifier: Apache-2.0
"""Policies, and networks of actuators."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from kind import MODELS, Kind
from mutants import ODD_NUMBERS

from deepsim_robots.controllers.actuators import load_network
from deepsim_train import RecurrentPolicy, TaskError, TrainedPolicy, load_policy
from deepsim_train.policies.networks import Convolution, Lstm, Part, PictureNetwork

RNG = np.random.default_rng(5)
ONES = np.ones(8, np.float32)


def _drawn(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


def _policies(folder: Path) -> list[Path]:
    """Writes policies with a memory, of pictures and of choices, and a trained one."""
    layers = ((_drawn(8, 4), _drawn(8)), (_drawn(5, 8), _drawn(5)))
    bounds = -ONES[:5], ONES[:5]
    plain = TrainedPolicy(_drawn(4), ONES[:4], 9.0, ((_drawn(5, 6), _drawn(5)),), *bounds, (5,))
    kernels = Convolution(_drawn(2, 3, 4, 3), _drawn(2), 2)
    part = Part((10, 9, 3), network=PictureNetwork((kernels,), (_drawn(4, 32), _drawn(4))))
    made: dict[str, Any] = {
        "memory": RecurrentPolicy(plain, Lstm(_drawn(24, 4), _drawn(24, 6), _drawn(24))),
        "picture": TrainedPolicy(_drawn(4), ONES[:4], 9.0, layers, *bounds, (5,), (part,)),
        "choices": TrainedPolicy(_drawn(4), ONES[:4], 9.0, layers, None, None, (2,), counts=(2, 3)),
    }
    for name, policy in made.items():
        policy.save(folder / f"{name}.npz")
    shutil.copy(MODELS / "cartpole/policy.npz", folder / "policy.npz")
    return [folder / f"{name}.npz" for name in (*made, "policy")]


def _acts(path: Path) -> bytes:
    policy = load_policy(path)
    size = {"picture": (1, 10, 9, 3), "policy": (1, 5)}.get(path.stem, (1, 4))
    network = policy.network if isinstance(policy, RecurrentPolicy) else policy
    if network.parts or network.mean.size != size[1]:
        size = network.parts[0].shape if network.parts else (network.mean.size,)
        size = (1, *size)
    seen: Any = np.arange(np.prod(size)).reshape(size)
    seen = seen.astype(np.uint8 if network.parts else np.float64)
    if isinstance(policy, RecurrentPolicy):
        action = policy.step("a", seen, None, None)[0]
    else:
        action = policy.act("a", seen)
    assert np.isfinite(action).all(), "an action is not finite"
    return np.asarray(action).tobytes()


def _rewrite(path: Path, draw: Random) -> None:
    """Writes the arrays anew with another shape, type, name or number."""
    with np.load(path) as stream:
        arrays = dict(stream)
    name = draw.choice(sorted(arrays))
    array = arrays.pop(name)
    match draw.randrange(9):
        case 0:
            name = draw.choice((*arrays, "__class__", "../x", "weights_9", "part_0_key", "limit"))
        case 1 if array.dtype.kind != "U":
            array = array.astype(draw.choice((complex, str, np.int8, np.float16, bool, ">f8")))
        case 2:
            array = array.reshape(-1)[: draw.randrange(array.size + 1)]
        case 3:
            array = np.broadcast_to(array, (draw.choice((0, 1, 3)), *array.shape))
        case 4:
            array = array.T.copy() if array.ndim else np.zeros((3, 0, 5))
        case 5 if array.size and array.dtype.kind in "if":
            array = array.copy()
            array.reshape(-1)[draw.randrange(array.size)] = draw.choice((0, -1, 127))
        case 6 if array.size and array.dtype.kind == "f":
            array = array.copy()
            values = (np.nan, np.inf, -np.inf, 1e38, -1e38, 1e-45)
            array.reshape(-1)[draw.randrange(array.size)] = draw.choice(values)
        case 7:
            return  # an array less
        case _:
            packed = bytearray(array.tobytes())
            odd = draw.choice(ODD_NUMBERS)
            packed[: len(odd)] = odd
            array = np.frombuffer(bytes(packed[: array.nbytes]), array.dtype).reshape(array.shape)
    np.savez(path, **{**arrays, name: array})


def _networks(folder: Path) -> list[Path]:
    path = folder / "motor.npz"
    layers = {"weights_0": _drawn(6, 4), "bias_0": _drawn(6), "weights_1": _drawn(1, 6)}
    np.savez(path, **layers, bias_1=_drawn(1), activation=np.array("softsign"))
    return [path]


def _motor(path: Path) -> bytes:
    return load_network(path)(np.ones((2, 3, 4))).tobytes()


KINDS = {
    "policy": Kind(_policies, _acts, (TaskError,), checked=True, rewrite=_rewrite),
    "actuator": Kind(_networks, _motor, (ValueError, OSError), checked=True, rewrite=_rewrite),
}
