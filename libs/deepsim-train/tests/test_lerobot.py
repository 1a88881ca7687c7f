# SPDX-License-Identifier: Apache-2.0
"""Datasets of LeRobot's format v3.0 hold what its readers expect; skipped without PyArrow."""

from __future__ import annotations

import json
import os
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Text, Tuple

from deepsim_envs import Trajectory

pq = pytest.importorskip("pyarrow.parquet", reason="tox -e py311-trainers in libs/deepsim-train")
pd = pytest.importorskip("pandas")

from deepsim_train.lerobot import (  # noqa: E402 (see above)
    new_dataset_folder,
    read_dataset,
    write_dataset,
)

NAME = "deepsim/rink_ahead"
SEEN = Dict(
    {
        "front": Box(0, 255, (8, 10, 3), np.uint8),
        "state": Box(-np.inf, np.inf, (3,), np.float64),
        "table": Box(-1.0, 1.0, (2, 2), np.float32),
        "kind": Discrete(7),
    }
)
ACTED = Box(-1.0, 1.0, (2,))


def episode(seed: int, length: int) -> Trajectory:
    SEEN.seed(seed)
    ACTED.seed(seed)
    seen = [SEEN.sample() for _ in range(length + 1)]
    ends = np.arange(length) == length - 1
    return Trajectory(
        "puck", seed, 100 + seed,
        {key: np.stack([each[key] for each in seen]) for key in SEEN.spaces},
        np.stack([ACTED.sample() for _ in range(length)]),
        np.random.default_rng(seed).normal(size=length), ends & (seed == 1), ends & (seed != 1),
        {"success": np.arange(length + 1) > 3, "return/near": np.linspace(0.0, 1.0, length + 1)},
    )  # fmt: skip


@pytest.fixture
def written() -> list[Trajectory]:
    return [episode(1, 6), episode(2, 1), episode(3, 9)]


def test_its_tables_are_those_of_the_format(tmp_path: Path, written: list[Trajectory]) -> None:
    """Files, features, indices and statistics as the format v3.0 has them."""
    folder = write_dataset(NAME, written, SEEN, ACTED, tmp_path, fps=50.0, task="push the puck")
    assert folder == tmp_path / NAME
    files = [str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()]
    assert sorted(files) == [
        "data/chunk-000/file-000.parquet", "meta/episodes/chunk-000/file-000.parquet",
        "meta/info.json", "meta/stats.json", "meta/tasks.parquet",
    ]  # fmt: skip
    info = json.loads((folder / "meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0"
    assert (info["fps"], info["total_episodes"], info["total_frames"]) == (50, 3, 16)
    assert info["splits"] == {"train": "0:3"}
    shapes = {name: (each["dtype"], each["shape"]) for name, each in info["features"].items()}
    assert shapes == {
        "observation.images.front": ("image", [8, 10, 3]), "observation.state": ("float32", [3]),
        "observation.table": ("float32", [4]), "observation.kind": ("int64", [1]),
        "action": ("float32", [2]), "next.reward": ("float32", [1]), "next.done": ("bool", [1]),
        "next.truncated": ("bool", [1]), "next.success": ("bool", [1]),
        "next.return.near": ("float32", [1]), "timestamp": ("float32", [1]),
        **{f"{name}index": ("int64", [1]) for name in ("frame_", "episode_", "", "task_")},
    }  # fmt: skip
    data = pq.read_table(folder / info["data_path"].format(chunk_index=0, file_index=0))
    assert data.column_names == list(shapes)
    frames = data.to_pydict()
    assert frames["index"] == list(range(16))
    assert frames["episode_index"] == [0] * 6 + [1] + [2] * 9
    assert frames["frame_index"] == [*range(6), 0, *range(9)]
    np.testing.assert_allclose(frames["timestamp"], np.array(frames["frame_index"]) / 50.0)
    assert [n for n, done in enumerate(frames["next.done"]) if done] == [5, 6, 15]
    assert [n for n, cut in enumerate(frames["next.truncated"]) if cut] == [6, 15]
    assert frames["next.success"][:6] == [False, False, False, True, True, True]
    rewards = np.concatenate([each.rewards for each in written])
    np.testing.assert_allclose(frames["next.reward"], rewards, rtol=1e-6)
    told = pd.read_parquet(folder / "meta/episodes/chunk-000/file-000.parquet")
    assert told["dataset_from_index"].tolist() == [0, 6, 7]
    assert told["dataset_to_index"].tolist() == [6, 7, 16]
    assert [list(each) for each in told["tasks"]] == [["push the puck"]] * 3
    assert (told["seed"].tolist(), told["world"].tolist()) == ([101, 102, 103], [1, 2, 3])
    tasks = pd.read_parquet(folder / "meta/tasks.parquet")
    assert tasks.loc["push the puck", "task_index"] == 0
    stats = json.loads((folder / "meta/stats.json").read_text())
    acted = np.concatenate([each.actions for each in written])
    np.testing.assert_allclose(stats["action"]["mean"], acted.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(stats["action"]["std"], acted.std(axis=0), rtol=1e-5)
    assert np.shape(stats["observation.images.front"]["max"]) == (3, 1, 1)
    assert stats["next.reward"]["count"] == [16]


def test_what_is_read_back_is_what_was_written(tmp_path: Path, written: list[Trajectory]) -> None:
    """Pictures are stored without loss, numbers as float32."""
    folder = write_dataset(NAME, written, SEEN, ACTED, tmp_path, fps=50.0, task="push")
    seen, acted = read_dataset(folder, SEEN)
    for key in SEEN.spaces:
        expected = np.concatenate([each.observations[key][:-1] for each in written])
        assert seen[key].dtype == SEEN[key].dtype
        np.testing.assert_array_equal(
            seen[key], expected.astype(np.float32).astype(seen[key].dtype)
        )
    np.testing.assert_array_equal(acted, np.concatenate([each.actions for each in written]))
    alone = [each._replace(observations=each.observations["state"]) for each in written]
    choices = [each._replace(actions=np.ones((len(each.actions), 2), np.int64)) for each in alone]
    spaces = SEEN["state"], MultiDiscrete([2, 3])
    folder = write_dataset("a/b", choices, *spaces, root=tmp_path, fps=50.0, task="push")
    seen, acted = read_dataset(folder, SEEN["state"])
    assert seen.shape == (16, 3)
    assert acted.tolist() == [[1, 1]] * 16
    with pytest.raises(ValueError, match=r"has no observation.images.front, but observation.state"):
        read_dataset(folder, SEEN)
    with pytest.raises(ValueError, match=r"observation.state must be of Box\(-1.0, 1.0, \(4"):
        read_dataset(folder, Box(-1.0, 1.0, (4,)))


def test_damage_is_noticed(tmp_path: Path, written: list[Trajectory]) -> None:
    """Whatever bit of the values is flipped: their pages have checksums."""
    alone = [each._replace(observations=each.observations["state"]) for each in written]
    spaces = SEEN["state"], ACTED
    folder = write_dataset(NAME, alone, *spaces, root=tmp_path, fps=50.0, task="push")
    (table,), info = (folder / "data").rglob("*.parquet"), folder / "meta/info.json"
    whole, draw = read_dataset(folder, SEEN["state"]), random.Random(1)
    for file in (table, info):
        data, refused = file.read_bytes(), 0
        for _ in range(100):
            mutant = bytearray(data)
            mutant[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            file.write_bytes(mutant)
            try:
                found = read_dataset(folder, SEEN["state"])
            except ValueError:
                refused += 1
            else:
                assert [each.tobytes() for each in found] == [each.tobytes() for each in whole]
        assert refused > 10
        file.write_bytes(data)
    os.mkfifo(folder / "data/pipe.parquet")
    with pytest.raises(ValueError, match=r"pipe\.parquet is not a regular file"):
        read_dataset(folder, SEEN["state"])


def test_statistics_are_those_of_each_episode_too(
    tmp_path: Path, written: list[Trajectory]
) -> None:
    """Quantiles of a ramp lie where it has risen by their share; an episode has a row group."""
    ramp = Trajectory(
        "puck", 1, 1, np.zeros((102, 1), np.float32), np.linspace(0.0, 1.0, 101)[:, None],
        np.zeros(101), np.zeros(101, np.bool_), np.arange(101) == 100, {},
    )  # fmt: skip
    high = ramp._replace(actions=ramp.actions + 2.0, seed=2)
    spaces = Box(-1.0, 1.0, (1,)), Box(0.0, 3.0, (1,))
    folder = write_dataset(NAME, [ramp, high], *spaces, tmp_path, fps=50.0, task="rise")
    told = pd.read_parquet(folder / "meta/episodes/chunk-000/file-000.parquet")
    stats = json.loads((folder / "meta/stats.json").read_text())["action"]
    for key, share in (("q01", 0.01), ("q10", 0.1), ("q50", 0.5), ("q90", 0.9), ("q99", 0.99)):
        each = np.stack(told[f"stats/action/{key}"])[:, 0]
        np.testing.assert_allclose(each, [share, 2.0 + share], atol=1e-6)
        assert (stats[key][0] < 1.0) == (share < 0.5)
    assert [list(each) for each in told["stats/action/count"]] == [[101], [101]]
    data = pq.ParquetFile(folder / "data/chunk-000/file-000.parquet")
    assert [data.metadata.row_group(group).num_rows for group in range(2)] == [101, 101]
    folder = write_dataset("a/b", written, SEEN, ACTED, tmp_path, fps=50.0, task="push")
    told = pd.read_parquet(folder / "meta/episodes/chunk-000/file-000.parquet")
    front = told["stats/observation.images.front/max"][2]
    expected = written[2].observations["front"][:-1].max(axis=(0, 1, 2)) / 255.0
    np.testing.assert_allclose([each[0][0] for each in front], expected)


@pytest.fixture
def lerobot(monkeypatch: pytest.MonkeyPatch) -> Any:
    """LeRobot's module of datasets, kept from the network."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with warnings.catch_warnings():  # its packages warn of each other
        warnings.simplefilter("ignore")
        return pytest.importorskip(
            "lerobot.datasets.lerobot_dataset", reason="tox -e py312-lerobot in libs/deepsim-train"
        )


def test_lerobot_itself_reads_it(tmp_path: Path, written: list[Trajectory], lerobot: Any) -> None:
    folder = write_dataset(NAME, written, SEEN, ACTED, tmp_path, fps=50.0, task="push")
    dataset = lerobot.LeRobotDataset(NAME, root=folder, episodes=[0, 2])
    assert (dataset.num_episodes, dataset.num_frames, dataset.fps) == (2, 15, 50)
    dataset = lerobot.LeRobotDataset(NAME, root=folder)
    assert (dataset.num_episodes, dataset.num_frames, dataset.fps) == (3, 16, 50)
    frame = dataset[9]
    assert frame["task"] == "push"
    assert (int(frame["episode_index"]), int(frame["frame_index"])) == (2, 2)
    np.testing.assert_array_equal(frame["action"], written[2].actions[2])
    state = written[2].observations["state"][2].astype(np.float32)
    np.testing.assert_array_equal(frame["observation.state"], state)
    front = written[2].observations["front"][2].transpose(2, 0, 1) / 255.0
    np.testing.assert_allclose(frame["observation.images.front"], front, atol=1e-6)
    steps = {"observation.state": [-0.02, 0.0], "action": [0.0, 0.02]}  # [s]
    pair = lerobot.LeRobotDataset(NAME, root=folder, delta_timestamps=steps)[9]
    np.testing.assert_array_equal(pair["observation.state"][1], state)
    np.testing.assert_array_equal(pair["action"], written[2].actions[2:4])
    import datasets  # noqa: PLC0415 (comes with LeRobot)

    files = str(folder / "data/*/*.parquet")  # as LeRobot streams it
    stream = datasets.load_dataset("parquet", data_files=files, split="train", streaming=True)
    picture = next(iter(stream))["observation.images.front"]
    np.testing.assert_array_equal(picture, written[0].observations["front"][0])


def test_its_files_are_those_that_lerobot_writes(
    tmp_path: Path, written: list[Trajectory], lerobot: Any
) -> None:
    """The same frames, written by LeRobot: equal descriptions, types, values and statistics."""
    folder = write_dataset(NAME, written, SEEN, ACTED, tmp_path, fps=50.0, task="push")
    info = json.loads((folder / "meta/info.json").read_text())
    own = {"timestamp", "frame_index", "episode_index", "index", "task_index"}
    features = {
        name: {**each, "shape": tuple(each["shape"])}
        for name, each in info["features"].items()
        if name not in own
    }
    theirs = lerobot.LeRobotDataset.create(
        "a/theirs", fps=50, features=features, root=tmp_path / "a/theirs", use_videos=False
    )
    values = {
        **{f"observation.{key}": key for key in ("state", "table", "kind")},
        "observation.images.front": "front",
    }
    frames = pq.read_table(folder / "data/chunk-000/file-000.parquet").to_pydict()
    number = 0
    for each in written:
        for step in range(len(each.rewards)):
            frame: dict[str, Any] = {"task": "push"}
            for name, about in features.items():
                value = each.observations[values[name]][step] if name in values else (
                    frames[name][number]
                )  # fmt: skip
                kind = np.uint8 if about["dtype"] == "image" else about["dtype"]
                frame[name] = np.asarray(value, kind).reshape(about["shape"])
            theirs.add_frame(frame)
            number += 1
        theirs.save_episode()
    theirs.finalize()
    assert json.loads((theirs.root / "meta/info.json").read_text()) == info
    data, episodes = "data/chunk-000/file-000.parquet", "meta/episodes/chunk-000/file-000.parquet"
    for file in (data, episodes):
        ours, other = (pq.read_table(root / file) for root in (folder, theirs.root))
        assert set(other.column_names) <= set(ours.column_names)
        for name in other.column_names:
            if name.startswith("stats/"):
                mine, its = (np.array(table[name].to_pylist()) for table in (ours, other))
                _assert_statistics(name, mine, its)
            elif "image" not in name:
                assert ours[name].to_pylist() == other[name].to_pylist(), name
    told, others = (
        json.loads(pq.read_schema(root / data).metadata[b"huggingface"])
        for root in (folder, theirs.root)
    )
    assert told["info"] == others["info"]
    ours, other = (pd.read_parquet(root / "meta/tasks.parquet") for root in (folder, theirs.root))
    pd.testing.assert_frame_equal(ours, other)
    stats = [json.loads((root / "meta/stats.json").read_text()) for root in (folder, theirs.root)]
    for name, each in stats[1].items():
        assert each.keys() == stats[0][name].keys()
        for key, value in each.items():
            if not key.startswith("q"):  # those of all are means of those of episodes there
                _assert_statistics(f"stats/{name}/{key}", stats[0][name][key], value)


def _assert_statistics(name: str, ours: Any, theirs: Any) -> None:
    """LeRobot draws quantiles from a histogram of few numbers, or takes the mean of one number."""
    assert np.shape(ours) == np.shape(theirs), name
    if "/q" not in name:
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6, err_msg=name)


def test_mistakes_are_named_and_leave_nothing(tmp_path: Path, written: list[Trajectory]) -> None:
    about: dict[str, Any] = {"root": tmp_path, "fps": 50.0, "task": "push"}
    with pytest.raises(ValueError, match="at least one episode, got none"):
        write_dataset(NAME, [], SEEN, ACTED, **about)
    for name in ("rink", "a/b/c", "../rink"):
        with pytest.raises(ValueError, match="like USER/NAME"):
            write_dataset(name, written, SEEN, ACTED, **about)
    for space in (Text(3), Tuple([ACTED, ACTED])):
        with pytest.raises(ValueError, match="holds numbers and pictures"):
            write_dataset(NAME, written, space, ACTED, **about)
    broken = written[0]._replace(rewards=None)
    with pytest.raises((AttributeError, TypeError)):
        write_dataset(NAME, [broken], SEEN, ACTED, **about)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    write_dataset(NAME, written, SEEN, ACTED, **about)
    with pytest.raises(FileExistsError, match=f"the dataset {NAME} exists"):
        new_dataset_folder(NAME, tmp_path)
