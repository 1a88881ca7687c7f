# SPDX-License-Identifier: Apache-2.0
"""Datasets of Minari hold every number of their trajectories; skipped where it is missing."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Space, Text, Tuple

from deepsim_envs import Trajectory

minari = pytest.importorskip(
    "minari", reason="datasets are not tested: tox -e py311-trainers in libs/deepsim-envs"
)
pytest.importorskip("h5py")

from deepsim_train.minari import new_dataset_folder, read_dataset, write_dataset  # noqa: E402 (see above)

NAME = "deepsim/rink/ahead-v0"
SEEN = Dict(
    {
        "picture": Box(0, 255, (36, 40, 3), np.uint8),
        "numbers": Box(-np.inf, np.inf, (3,), np.float32),
        "parts": Tuple([Discrete(7), Box(-1.0, 1.0, (2, 2), np.float64)]),
    }
)
ACTED = MultiDiscrete([3, 5])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Minari's folder of all datasets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


def batch(space: Space[Any], length: int) -> Any:
    if isinstance(space, Dict):
        return {key: batch(part, length) for key, part in space.spaces.items()}
    if isinstance(space, Tuple):
        return tuple(batch(part, length) for part in space.spaces)
    return np.stack([np.asarray(space.sample(), space.dtype) for _ in range(length)])


def episode(seed: int, length: int) -> Trajectory:
    SEEN.seed(seed)
    ACTED.seed(seed)
    ends = np.arange(length) == length - 1
    return Trajectory(
        "puck", seed, 2**33 + seed, batch(SEEN, length + 1), batch(ACTED, length),
        np.random.default_rng(seed).normal(size=length), ends, ~ends & False,
        {"success": np.arange(length + 1) > 3, "return/near": np.linspace(0.0, 1.0, length + 1)},
    )  # fmt: skip


def require_same(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, part in expected.items():
            require_same(found[key], part)
    elif isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            require_same(one, other)
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_minari_reads_every_array_back(root: Path) -> None:
    written = [episode(1, 6), episode(2, 1), episode(3, 9)]
    folder = write_dataset(NAME, written, SEEN, ACTED, description="ahead")
    assert folder == root / NAME
    dataset = minari.load_dataset(NAME)
    assert (dataset.total_episodes, dataset.total_steps) == (3, 16)
    assert dataset.observation_space == SEEN
    assert dataset.action_space == ACTED
    assert dataset.storage.metadata["description"] == "ahead"
    for found, expected in zip(dataset.iterate_episodes(), written, strict=True):
        for name in ("observations", "actions", "rewards", "terminations", "truncations"):
            require_same(getattr(found, name), getattr(expected, name))
        require_same(found.infos["success"], expected.infos["success"])
        require_same(found.infos["return"]["near"], expected.infos["return/near"])
    known = list(dataset.storage.get_episode_metadata(range(3)))
    assert [each["seed"] for each in known] == [each.seed for each in written]
    assert [(each["agent"], each["world"]) for each in known] == [
        ("puck", 1), ("puck", 2), ("puck", 3)
    ]  # fmt: skip
    assert list(minari.list_local_datasets()) == [NAME]
    seen, acted = read_dataset(NAME)
    for key in ("picture", "numbers"):
        parts = [each.observations[key][:-1] for each in written]
        require_same(seen[key], np.concatenate(parts))
    require_same(acted, np.concatenate([each.actions for each in written]))


def test_a_folder_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one below the present folder."""
    monkeypatch.chdir(tmp_path)
    folder = write_dataset(NAME, [episode(1, 6)], SEEN, ACTED, root="sets")
    assert folder == tmp_path / "sets" / NAME
    assert minari.MinariDataset(folder / "data").total_steps == 6


def test_a_damaged_dataset_is_refused_with_its_name(root: Path) -> None:
    """HDF5 has no checksums, but whatever it is, there is one error."""
    folder = write_dataset(NAME, [episode(1, 9)], SEEN, ACTED)
    draw = random.Random(1)
    for file in (folder / "data/main_data.hdf5", folder / "data/metadata.json"):
        data = file.read_bytes()
        for length in range(0, len(data), len(data) // 20):
            file.write_bytes(data[:length])
            with pytest.raises(ValueError, match=f"{folder} (cannot be read: |has no episodes)"):
                read_dataset(folder)
        for _ in range(50):
            mutant = bytearray(data)
            mutant[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            file.write_bytes(mutant)
            with contextlib.suppress(ValueError):
                read_dataset(folder)
        file.write_bytes(data)
    os.mkfifo(folder / "data/pipe")
    with pytest.raises(ValueError, match="pipe is not a regular file"):
        read_dataset(folder)


def test_a_dataset_is_never_overwritten(root: Path) -> None:
    write_dataset(NAME, [episode(1, 6)], SEEN, ACTED)
    file = root / NAME / "data" / "main_data.hdf5"
    before = file.read_bytes()
    with pytest.raises(FileExistsError, match=f"the dataset {NAME} exists"):
        write_dataset(NAME, [episode(2, 3)], SEEN, ACTED)
    assert file.read_bytes() == before


def test_what_cannot_be_written_leaves_nothing(root: Path) -> None:
    words = Trajectory("a", 0, 1, np.array(["b", None], object), np.zeros(1), *np.zeros((3, 1)))
    with pytest.raises(ValueError, match="numbers and arrays of numbers, got members such as 'b'"):
        write_dataset(NAME, [words], Text(3), Box(-1.0, 1.0, ()))
    broken = episode(1, 6)._replace(actions=np.zeros((6, 2), np.int64), rewards=None)
    with pytest.raises(TypeError):
        write_dataset(NAME, [episode(2, 3), broken], SEEN, ACTED)
    assert [path for path in root.rglob("*") if path.is_file()] == []
    assert new_dataset_folder(NAME) == root / NAME


def test_mistakes_are_named(root: Path) -> None:
    with pytest.raises(ValueError, match="at least one episode, got none"):
        write_dataset(NAME, [], SEEN, ACTED)
    with pytest.raises(ValueError, match="no version"):
        write_dataset("no version", [episode(1, 2)], SEEN, ACTED)


def test_a_full_disk_is_an_error_in_a_sentence(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; h5py alone ends the process there."""
    pytest.importorskip("resource", reason="Windows has no such limit")
    program = """
import resource, sys
import numpy as np
from gymnasium.spaces import Box
from deepsim_envs import Trajectory
from deepsim_train.minari import write_dataset
count, one, two = 1000, Box(-9.0, 9.0, (20,), np.float64), Box(-9.0, 9.0, (4,), np.float64)
ends = np.zeros(count, bool)
seen, acted = np.zeros((count + 1, 20)), np.zeros((count, 4))
episodes = [Trajectory("puck", 0, n, seen, acted, acted[:, 0], ends, ends) for n in range(20)]
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    write_dataset("deepsim/rink/full-v0", episodes, one, two, sys.argv[1])
except OSError as error:
    print(error)
"""
    root = tmp_path / "datasets"
    command = [sys.executable, "-B", "-c", program, str(root)]  # no cut-off .pyc
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    folder = root / "deepsim" / "rink" / "full-v0"
    why = "File too large: free some space, or choose another folder"
    assert done.stdout == f"{folder}: {why}\n"
    assert not root.exists()  # neither the dataset, nor its namespaces, nor a temporary folder
