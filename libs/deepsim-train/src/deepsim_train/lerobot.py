# SPDX-License-Identifier: Apache-2.0
"""Writes and reads datasets in the format of LeRobot, v3.0; needs ``deepsim-train[lerobot]``."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from deepsim_envs import Trajectory
from deepsim_sync.temporary_folders import temporary_folder
from deepsim_sync.untrusted import require_files

from .policies.networks import is_picture

try:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    from PIL import Image
except ImportError as error:
    raise ImportError(
        "deepsim_train.lerobot needs PyArrow, pandas and Pillow: "
        "pip install --find-links dist 'deepsim-train[lerobot]'"
    ) from error

__all__ = ["new_dataset_folder", "read_dataset", "write_dataset"]

INFO = "meta/info.json"
_VERSION = "v3.0"
_DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_EPISODES = "meta/episodes/chunk-000/file-000.parquet"
_QUANTILES = (0.01, 0.1, 0.5, 0.9, 0.99)


def new_dataset_folder(dataset_id: str, root: str | Path | None = None) -> Path:
    """Returns the folder of a new dataset.

    Args:
        dataset_id: The id of the dataset, such as ``"deepsim/racetrack_pursuit"``.
        root: Folder of all datasets; by default LeRobot's folder, ``HF_LEROBOT_HOME`` or
            ``~/.cache/huggingface/lerobot``.

    Raises:
        ValueError: `dataset_id` is not like ``"USER/NAME"``.
        FileExistsError: The dataset already exists.
    """
    parts = dataset_id.split("/")
    if len(parts) != 2 or not all(part and part not in (".", "..") for part in parts):
        raise ValueError(f"the id of a LeRobot dataset is like USER/NAME, got {dataset_id!r}")
    if root is None:
        own = os.environ.get("HF_LEROBOT_HOME")
        root = own or Path.home() / ".cache" / "huggingface" / "lerobot"
    folder = Path(root).absolute() / dataset_id
    if os.path.lexists(folder):
        raise FileExistsError(
            f"the dataset {dataset_id} exists, and is never overwritten: {folder}; take another "
            "name"
        )
    return folder


def write_dataset(
    dataset_id: str,
    trajectories: Iterable[Trajectory],
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    root: str | Path | None = None,
    *,
    fps: float,
    task: str,
) -> Path:
    """Writes episodes as a dataset for ``LeRobotDataset``.

    A frame is a step: the observation before it, the action, and what followed from both. Numbers
    are ``observation.state``, or ``observation.KEY`` for each key of a `Dict`; pictures, stored in
    the table as PNG without loss, ``observation.image`` or ``observation.images.KEY``; the action
    is ``action``. Arrays are flattened. ``next.reward``, ``next.done``, ``next.truncated`` and
    ``next.NAME`` for the numbers of `Trajectory.infos`, such as ``next.success``, are those after
    the step, with dots for slashes. The last observation of an episode is not stored, as in
    LeRobot's own datasets. The table of episodes also has ``agent``, ``world`` and ``seed``.
    Statistics, with quantiles, are those of all frames, and in the table of episodes of each.

    The dataset only appears when it is complete: it is written to a temporary folder, which is then
    renamed.

    Args:
        dataset_id: The id; see `new_dataset_folder`.
        trajectories: The episodes, of agents with these spaces.
        observation_space: The space of an observation.
        action_space: The space of an action: a `Box`, `Discrete` or `MultiDiscrete`.
        root: Folder of all datasets; see `new_dataset_folder`.
        fps: Steps in a second of simulated time.
        task: The task in words.

    Returns:
        The folder of the dataset.

    Raises:
        ValueError: There are no episodes, `dataset_id` is not a valid id, or a space has members
            that are neither numbers nor pictures.
        FileExistsError: The dataset already exists; it is not changed.
        OSError: The dataset cannot be written; nothing is left behind.
    """
    folder = new_dataset_folder(dataset_id, root)
    episodes = list(trajectories)
    if not episodes:
        raise ValueError("a dataset needs at least one episode, got none")
    parts = _parts_of(observation_space)
    for name, part in {**{name: part for name, _, part in parts}, "action": action_space}.items():
        if part.shape is None or part.dtype is None or np.dtype(part.dtype).kind not in "biuf":
            raise ValueError(f"a LeRobot dataset holds numbers and pictures, got {part} as {name}")
    columns = [_columns_of(episode, parts) for episode in episodes]
    shared = [name for name in columns[0] if all(name in each for each in columns)]
    frames = {name: np.concatenate([each[name] for each in columns]) for name in shared}
    lengths = [len(episode.rewards) for episode in episodes]
    rows = np.concatenate([np.arange(length) for length in lengths])
    frames |= {
        "timestamp": (rows / fps).astype(np.float32),
        "frame_index": rows,
        "episode_index": np.repeat(np.arange(len(episodes)), lengths),
        "index": np.arange(len(rows)),
        "task_index": np.zeros(len(rows), np.int64),
    }
    ends = np.cumsum(lengths)
    spans = [slice(end - length, end) for end, length in zip(ends, lengths, strict=True)]
    told = pd.DataFrame(
        {
            "episode_index": np.arange(len(episodes)),
            "tasks": [[task]] * len(episodes),
            "length": lengths,
            "data/chunk_index": 0,
            "data/file_index": 0,
            "dataset_from_index": ends - lengths,
            "dataset_to_index": ends,
            "meta/episodes/chunk_index": 0,
            "meta/episodes/file_index": 0,
            "agent": [episode.agent for episode in episodes],
            "world": [episode.world for episode in episodes],
            "seed": pd.array([episode.seed for episode in episodes], dtype="Int64"),
            **_statistics_of_episodes(frames, spans),
        }
    )
    info = {
        "codebase_version": _VERSION,
        "robot_type": None,
        "total_episodes": len(episodes),
        "total_frames": len(rows),
        "total_tasks": 1,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": round(fps) if abs(fps - round(fps)) < 1e-6 else fps,
        "splits": {"train": f"0:{len(episodes)}"},
        "data_path": _DATA,
        "video_path": None,
        "features": {name: _feature(name, values) for name, values in frames.items()},
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(f".{folder.name}.", folder.parent) as temporary:
        made = temporary / folder.name
        for name in (_DATA.format(chunk_index=0, file_index=0), _EPISODES):
            (made / name).parent.mkdir(parents=True)
        table = pa.table({name: _array(values) for name, values in frames.items()})
        table = table.replace_schema_metadata(_of_hugging_face(frames))
        file = made / _DATA.format(chunk_index=0, file_index=0)
        with pq.ParquetWriter(file, table.schema, write_page_checksum=True) as writer:
            for span in spans:  # a row group for each episode, as LeRobot reads them
                writer.write_table(table[span])
        told.to_parquet(made / _EPISODES, index=False)
        tasks = pd.DataFrame({"task_index": [0]}, index=pd.Index([task], name="task"))
        tasks.to_parquet(made / "meta/tasks.parquet")
        _write_json(made / INFO, info)
        _write_json(made / "meta/stats.json", {n: _statistics(v) for n, v in frames.items()})
        os.rename(made, folder)  # fails if another process has written one meanwhile
    return folder


def read_dataset(folder: Path, observation_space: spaces.Space[Any]) -> tuple[Any, NDArray[Any]]:
    """Returns the observations and actions of all frames of a dataset, (n, ...).

    Args:
        folder: The folder of the dataset, in the format v3.0, with pictures in its table.
        observation_space: The space of an observation, whose keys and shapes the observations get.

    Raises:
        ValueError: The dataset is damaged, lacks a part of the observations, or has another format
            or shape.
        FileNotFoundError: There is no dataset, or a file of it is missing.
    """
    require_files(folder)
    try:
        return _read(folder, observation_space)
    except FileNotFoundError:
        raise
    except Exception as error:  # of JSON, Arrow, Pillow and NumPy
        raise ValueError(f"{folder} cannot be read: {error}") from error


def _read(folder: Path, observation_space: spaces.Space[Any]) -> tuple[Any, NDArray[Any]]:
    info = json.loads((folder / INFO).read_text(encoding="utf-8"))
    if info.get("codebase_version") != _VERSION:
        version = info.get("codebase_version")
        raise ValueError(f"it must have the format {_VERSION}, got {version!r:.80}")
    files = sorted((folder / "data").glob("*/*.parquet"))
    table = pa.concat_tables(pq.read_table(file, page_checksum_verification=True) for file in files)
    found: dict[str | None, NDArray[Any]] = {}
    for name, key, part in _parts_of(observation_space):
        found[key] = _values(table, name).astype(part.dtype)
        if found[key][0].size != np.prod(part.shape or ()):
            raise ValueError(f"{name} must be of {part}, got shape {found[key].shape[1:]}")
        found[key] = found[key].reshape(-1, *(part.shape or ()))
    return found.get(None, found), _values(table, "action")


def _values(table: Any, name: str) -> NDArray[Any]:
    """Returns a column (n, ...) of a table; pictures (n, height, width, channels)."""
    if name not in table.column_names:
        raise ValueError(f"it has no {name}, but {', '.join(table.column_names)}")
    column = table[name].combine_chunks()
    if pa.types.is_struct(column.type):
        pictures = [each["bytes"] for each in column.to_pylist()]
        return np.stack([np.asarray(Image.open(io.BytesIO(each))) for each in pictures])
    return np.array(column.to_pylist())


def _parts_of(space: spaces.Space[Any]) -> list[tuple[str, str | None, spaces.Space[Any]]]:
    """Returns the name of the feature, the key and the space of each part of observations."""
    if not isinstance(space, spaces.Dict):
        return [("observation.image" if is_picture(space) else "observation.state", None, space)]
    return [
        (f"observation.images.{key}" if is_picture(part) else f"observation.{key}", key, part)
        for key, part in space.spaces.items()
    ]


def _columns_of(
    episode: Trajectory, parts: Sequence[tuple[str, str | None, spaces.Space[Any]]]
) -> dict[str, NDArray[Any]]:
    """Returns the features (T, ...) of an episode; all but pictures are flat."""
    columns: dict[str, NDArray[Any]] = {}
    for name, key, part in parts:
        values = (episode.observations if key is None else episode.observations[key])[:-1]
        columns[name] = values if is_picture(part) else _flat(values)
    columns["action"] = _flat(episode.actions)
    columns["next.reward"] = episode.rewards.astype(np.float32)
    columns["next.done"] = episode.terminations | episode.truncations
    columns["next.truncated"] = episode.truncations
    for name, values in episode.infos.items():
        columns.setdefault(f"next.{name.replace('/', '.')}", _flat(values[1:])[:, 0])
    return columns


def _flat(values: NDArray[Any]) -> NDArray[Any]:
    rows = values.reshape(len(values), -1)
    kind = {"b": np.bool_, "f": np.float32}.get(rows.dtype.kind, np.int64)
    return rows.astype(kind)


def _feature(name: str, values: NDArray[Any]) -> dict[str, Any]:
    """Returns the description of a feature in ``info.json``."""
    if values.ndim == 4:
        axes = ["height", "width", "channels"]
        return {"dtype": "image", "shape": list(values.shape[1:]), "names": axes}
    width = values.shape[1] if values.ndim == 2 else 1
    names = [f"{name.rpartition('.')[2]}_{n}" for n in range(width)] if values.ndim == 2 else None
    return {"dtype": values.dtype.name, "shape": [width], "names": names}


def _array(values: NDArray[Any]) -> Any:
    """Returns a column of the table."""
    if values.ndim == 4:
        kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
        return pa.array([{"bytes": png, "path": None} for png in map(_png, values)], kind)
    if values.ndim == 2 and values.shape[1] > 1:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return pa.array(values.ravel())


def _png(picture: NDArray[np.uint8]) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(picture[..., 0] if picture.shape[-1] == 1 else picture).save(stream, "PNG")
    return stream.getvalue()


def _statistics(values: NDArray[Any]) -> dict[str, Any]:
    """Returns the statistics of a feature; those of pictures are (channels, 1, 1), in 0 .. 1."""
    pictures = values.ndim == 4
    axes = (0, 1, 2) if pictures else (0,)
    rows = values / 255.0 if pictures else values.reshape(len(values), -1).astype(np.float64)
    found = {
        "min": rows.min(axis=axes),
        "max": rows.max(axis=axes),
        "mean": rows.mean(axis=axes),
        "std": rows.std(axis=axes),
        **{f"q{100 * q:02.0f}": np.quantile(rows, q, axis=axes) for q in _QUANTILES},
    }
    shape = (-1, 1, 1) if pictures else (-1,)
    counted = {"count": [len(values)]}
    return {key: value.reshape(shape).tolist() for key, value in found.items()} | counted


def _statistics_of_episodes(
    frames: Mapping[str, NDArray[Any]], spans: Sequence[slice]
) -> dict[str, list[Any]]:
    """Returns the statistics of each episode, as columns of the table of episodes."""
    columns: dict[str, list[Any]] = {}
    for name, values in frames.items():
        for span in spans:
            for key, value in _statistics(values[span]).items():
                columns.setdefault(f"stats/{name}/{key}", []).append(value)
    return columns


def _of_hugging_face(frames: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """Returns metadata by which Hugging Face's `datasets` decodes pictures in a table."""
    features: dict[str, Any] = {}
    for name, values in frames.items():
        number = {"dtype": values.dtype.name, "_type": "Value"}
        if values.ndim == 4:
            features[name] = {"_type": "Image"}
        elif values.ndim == 2 and values.shape[1] > 1:
            features[name] = {"feature": number, "length": values.shape[1], "_type": "List"}
        else:
            features[name] = number
    return {"huggingface": json.dumps({"info": {"features": features}})}


def _write_json(file: Path, value: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(value, indent=4) + "\n", encoding="utf-8")
