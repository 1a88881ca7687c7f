# SPDX-License-Identifier: Apache-2.0
"""A file of a policy may be damaged or hostile: it is the policy that was saved, or is refused."""

from __future__ import annotations

import io
import os
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deepsim_train import RecurrentPolicy, TaskError, TrainedPolicy, load_policy
from deepsim_train.policies.networks import Convolution, Lstm, Part, PictureNetwork

RNG = np.random.default_rng(5)
ONES = np.ones(64, np.float32)
POLICIES = ("plain", "choices", "picture", "memory")


def drawn(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


def policy_of(kind: str) -> TrainedPolicy | RecurrentPolicy:
    """Returns a policy of four numbers, or of pictures of 10 x 9 pixels."""
    layers = ((drawn(8, 4), drawn(8)), (drawn(5, 8), drawn(5)))
    bounds = -ONES[:5], ONES[:5]
    if kind == "choices":
        return TrainedPolicy(drawn(4), ONES[:4], 9.0, layers, None, None, (2,), counts=(2, 3))
    if kind == "picture":
        kernels = Convolution(drawn(2, 3, 4, 3), drawn(2), 2)
        part = Part((10, 9, 3), network=PictureNetwork((kernels,), (drawn(4, 32), drawn(4))))
        return TrainedPolicy(drawn(4), ONES[:4], 9.0, layers, *bounds, (5,), (part,))
    network = TrainedPolicy(drawn(4), ONES[:4], 9.0, layers, *bounds, (5,))
    if kind == "plain":
        return network
    layers = ((drawn(5, 6), drawn(5)),)
    network = TrainedPolicy(drawn(4), ONES[:4], 9.0, layers, *bounds, (5,))
    return RecurrentPolicy(network, Lstm(drawn(24, 4), drawn(24, 6), drawn(24)))


def acted(policy: TrainedPolicy | RecurrentPolicy, kind: str) -> bytes:
    size = (1, 10, 9, 3) if kind == "picture" else (1, 4)
    seen = np.arange(np.prod(size)).reshape(size).astype(np.uint8 if kind == "picture" else float)
    if isinstance(policy, RecurrentPolicy):
        return np.asarray(policy.step("a", seen, None, None)[0]).tobytes()
    return np.asarray(policy.act("a", seen)).tobytes()


@pytest.fixture(params=POLICIES)
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A kind of policy, and its file."""
    policy_of(request.param).save(tmp_path / "policy.npz")
    return request.param, tmp_path / "policy.npz"


def arrays_of(file: Path) -> dict[str, Any]:
    with np.load(file) as stream:
        return dict(stream)


def test_a_damaged_file_acts_as_before_or_is_refused(saved: tuple[str, Path]) -> None:
    """Whatever bit is flipped, and whatever piece is lost."""
    kind, file = saved
    data, draw = file.read_bytes(), random.Random(2)
    whole, refused = acted(load_policy(file), kind), 0
    for number in range(250):
        mutant = bytearray(data)
        place = draw.randrange(len(data))
        if number % 5 == 0:
            del mutant[place : place + draw.randrange(1, 64)]
        elif number % 5 == 1:
            mutant[place : place + 4] = draw.randbytes(4)
        else:
            mutant[place] ^= 1 << draw.randrange(8)
        file.write_bytes(mutant)
        try:
            policy = load_policy(file)
        except TaskError:
            refused += 1
        else:
            assert acted(policy, kind) == whole
    assert refused > 100


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("plain", {"mean": np.zeros(3, np.float32)}, r"scale must be floats of shape \(3,\)"),
        ("plain", {"mean": np.full(4, np.nan, np.float32)}, "mean must be finite"),
        (
            "plain",
            {"mean": np.zeros(4, complex)},
            r"mean must be floats of shape \(4,\), got compl",
        ),
        ("plain", {"mean": np.array(["a"] * 4)}, "mean must be floats"),
        ("plain", {"scale": np.zeros(4, np.float32)}, "scale must be > 0"),
        ("plain", {"limit": np.array(np.nan)}, "limit must be one number >= 0, or 4"),
        ("plain", {"limit": np.ones(3)}, "limit must be one number >= 0, or 4"),
        ("plain", {"weights_1": ONES[:40].reshape(5, 8).T}, r"weights_1 must be .* \(5, 8\)"),
        ("plain", {"weights_0": None, "weights_1": None}, "it has no layers"),
        ("plain", {"weights_0": None}, "weights_0"),
        ("plain", {"low": 2.0 * ONES[:5]}, "low and high must be 5 numbers each, low <= high"),
        ("plain", {"low": None}, "low and high must both be there"),
        ("plain", {"shape": np.array([4])}, r"shape must be of 5 numbers, got \(4,\)"),
        ("plain", {"shape": np.array([2.5, 2.0])}, "shape"),
        ("choices", {"counts": np.array([2, 2])}, r"counts must be >= 1 and add up to 5"),
        ("choices", {"counts": np.array([6, -1])}, r"counts must be >= 1 and add up to 5"),
        ("picture", {"part_0_stride_0": np.array(0)}, "a stride of 0"),
        ("picture", {"part_0_shape": np.array([10, 9, 4])}, "kernels_0 must be floats"),
        ("picture", {"part_0_shape": np.array([3, 9, 3])}, "does not fit"),
        ("picture", {"part_0_weights": drawn(4, 30)}, "weights of a picture must be floats"),
        ("memory", {"lstm_bias": drawn(20)}, r"lstm_weights_in must be floats of shape \(20, 4\)"),
        ("memory", {"lstm_weights_out": None}, "lstm_weights_out"),
        ("plain", {"code": np.zeros(1)}, "it has no array 'code'"),
    ],
)
def test_arrays_that_do_not_fit_are_named(
    kind: str, changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "policy.npz"
    policy_of(kind).save(file)
    arrays = arrays_of(file) | changes
    np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(TaskError, match=r"policy\.npz is not a trained policy: .*" + message):
        load_policy(file)


def saved_with_array(file: Path, size: int, megabytes: int) -> None:
    """Saves a policy with one more array, which claims its size and holds these zeros."""
    policy_of("plain").save(file)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(  # type: ignore[no-untyped-call]
        header, {"descr": "<f4", "fortran_order": False, "shape": (size,)}
    )
    with (
        zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("bias_2.npy", "w") as member,
    ):
        member.write(header.getvalue())
        for _ in range(megabytes):
            member.write(bytes(2**20))


def test_of_each_choice_the_likeliest_value_is_taken() -> None:
    likely = np.array([0.0, 1.0, 0.0, 0.0, 2.0], np.float32)
    layers = ((np.zeros((5, 4), np.float32), likely),)
    policy = TrainedPolicy(drawn(4), ONES[:4], 9.0, layers, None, None, (2,), counts=(2, 3))
    assert policy.act("a", np.ones((2, 4))).tolist() == [[1, 2]] * 2


def test_little_that_unpacks_to_much_is_not_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "policy.npz"
    saved_with_array(file, 257 * 2**18, megabytes=257)
    assert file.stat().st_size < 2**21
    with pytest.raises(TaskError, match="its arrays must be <= 268435456 bytes, got 2694"):
        load_policy(file)


def test_an_array_that_claims_to_be_larger_than_its_file_is_refused(tmp_path: Path) -> None:
    saved_with_array(tmp_path / "policy.npz", 10**13, megabytes=0)
    with pytest.raises(TaskError, match=r"policy\.npz is not a trained policy"):
        load_policy(tmp_path / "policy.npz")


def test_a_pipe_is_no_policy(tmp_path: Path) -> None:
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "policy.npz")
    with pytest.raises(TaskError, match="it is not a regular file"):
        load_policy(tmp_path / "policy.npz")
