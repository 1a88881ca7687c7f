# SPDX-License-Identifier: Apache-2.0
"""Writes trajectories as Minari datasets; needs ``deepsim-train[minari]``."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Space

from deepsim_envs import Trajectory
from deepsim_envs.spaces import leafwise
from deepsim_sync.temporary_folders import temporary_folder
from deepsim_sync.untrusted import require_files

try:
    import minari
    from minari.data_collector import EpisodeBuffer
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.dataset.minari_storage import MinariStorage
    from PIL import Image as _  # noqa: F401 (fails early if missing)
except ImportError as error:
    raise ImportError(
        "deepsim_train.minari needs Minari: pip install --find-links dist 'deepsim-train[minari]'"
    ) from error

_REASON = re.compile(r"errno = \d+, error message = '([^']+)'")  # in the errors of HDF5

__all__ = ["new_dataset_folder", "read_dataset", "write_dataset"]


def new_dataset_folder(dataset_id: str, root: str | Path | None = None) -> Path:
    """Returns the folder of a new dataset.

    Args:
        dataset_id: The id of the dataset, such as ``"deepsim/racetrack/expert-v0"``.
        root: Folder of all datasets; by default Minari's folder, ``MINARI_DATASETS_PATH`` or
            ``~/.minari/datasets``.

    Raises:
        ValueError: `dataset_id` is not a valid id.
        FileExistsError: The dataset already exists.
    """
    parse_dataset_id(dataset_id)
    if root is None:
        root = os.environ.get("MINARI_DATASETS_PATH") or Path.home() / ".minari" / "datasets"
    folder = Path(root).absolute() / dataset_id  # Minari mishandles a relative path
    if os.path.lexists(folder):
        raise FileExistsError(
            f"the dataset {dataset_id} exists, and is never overwritten: {folder}; take another "
            "name or version"
        )
    return folder


def write_dataset(
    dataset_id: str,
    trajectories: Iterable[Trajectory],
    observation_space: Space[Any],
    action_space: Space[Any],
    root: str | Path | None = None,
    env_spec: EnvSpec | None = None,
    **metadata: str,
) -> Path:
    """Writes episodes as a dataset for `minari.load_dataset`; pictures are stored without loss.

    The metadata of each episode are its seed, agent and world; its infos are the numbers of
    `Trajectory.infos`, such as ``"success"``, where a slash in a name makes a nested dict. The
    dataset only appears when it is complete: it is written to a temporary folder, which is then
    renamed.

    Args:
        dataset_id: The id; see `new_dataset_folder`.
        trajectories: The episodes, of agents with these spaces.
        observation_space: The space of an observation.
        action_space: The space of an action.
        root: Folder of all datasets; see `new_dataset_folder`.
        env_spec: The environment for `recover_environment`, as from `tasks.loading.env_spec`.
        metadata: Further metadata for Minari, such as ``algorithm_name`` or ``description``.

    Returns:
        The folder of the dataset.

    Raises:
        ValueError: There are no episodes, `dataset_id` is not a valid id, or a space has members
            that are neither numbers nor arrays of numbers.
        FileExistsError: The dataset already exists; it is not changed.
        OSError: The dataset cannot be written; nothing is left behind.

    Example:
        `collector` comes from the `TrajectoryCollector` example::

            spaces = collector.observation_space["puck"], collector.action_space["puck"]
            write_dataset("rinks/puck/expert-v0", collector.trajectories, *spaces)
            dataset = minari.load_dataset("rinks/puck/expert-v0")
    """
    folder = new_dataset_folder(dataset_id, root)
    episodes = list(trajectories)
    if not episodes:
        raise ValueError("a dataset needs at least one episode, got none")
    for episode in episodes:
        leafwise(_require_numbers, (episode.observations, episode.actions))
    storage = {"dataset_id": dataset_id, "minari_version": minari.__version__, **metadata}
    places = [{"agent": episode.agent, "world": episode.world} for episode in episodes]
    buffers = [*map(_buffer, episodes)]
    content = (observation_space, action_space, env_spec, storage, buffers, places)
    with _new_folders(folder.parent), temporary_folder(f".{folder.name}.", folder.parent) as part:
        made = part / folder.name
        made.mkdir()
        _write_apart(made / "data", content, folder)
        os.rename(made, folder)  # fails if another process has written one meanwhile
    _name_namespaces(folder, len(Path(dataset_id).parts) - 1)
    return folder


def read_dataset(dataset: str | Path) -> tuple[Any, Any]:
    """Returns the observations and actions of all steps of a dataset, (n, ...).

    Args:
        dataset: The id of a dataset in Minari's folder, or the folder of a dataset.

    Raises:
        ValueError: The dataset is damaged, or has no episodes.
        OSError: There is no such dataset, or it cannot be read.
    """
    if isinstance(dataset, Path):
        require_files(dataset)
    try:
        found = (
            minari.load_dataset(dataset)
            if isinstance(dataset, str)
            else minari.MinariDataset(dataset / "data")
        )
        episodes = list(found.iterate_episodes())
    except FileNotFoundError:
        raise
    except Exception as error:  # of JSON, HDF5, Minari and spaces that do not fit
        raise ValueError(f"{dataset} cannot be read: {error}") from error
    if not episodes:
        raise ValueError(f"{dataset} has no episodes")
    seen = [leafwise(lambda part: part[:-1], episode.observations) for episode in episodes]
    joined = leafwise(lambda *parts: np.concatenate(parts), *seen)
    acted = leafwise(
        lambda *parts: np.concatenate(parts), *(episode.actions for episode in episodes)
    )
    return joined, acted


@contextmanager
def _new_folders(folder: Path) -> Iterator[None]:
    """Creates a folder with its parents; afterwards removes those of them that are empty."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        for each in made:
            with suppress(OSError):  # it is not empty
                each.rmdir()


def _write_apart(data: Path, content: tuple[Any, ...], folder: Path) -> None:
    """Writes the files of a dataset in another process, which h5py crashes on a full disk.

    Whatever is caught, HDF5 writes again when it closes a file that could not be written, and ends
    its process by a segmentation fault.
    """
    command = [sys.executable, "-m", "deepsim_train.minari", str(data)]
    done = subprocess.run(command, input=pickle.dumps(content), capture_output=True, check=False)
    if done.returncode == 0:
        return
    said = done.stderr.decode(errors="replace")
    if found := _REASON.search(said):
        raise OSError(f"{folder}: {found[1]}: free some space, or choose another folder")
    try:
        error = pickle.loads(done.stdout)  # of our own process
    except Exception:
        last = said.strip().rpartition("\n")[2]
        error = OSError(f"{folder}: its writer ended with status {done.returncode}: {last}")
    raise error


def _write(folder: Path, content: tuple[Any, ...]) -> None:
    observation_space, action_space, env_spec, metadata, buffers, places = content
    storage = MinariStorage.new(
        folder, observation_space, action_space, env_spec, jpeg_encoding=False
    )
    storage.update_metadata(metadata)
    storage.update_episodes(buffers)
    storage.update_episode_metadata(places)


def _buffer(episode: Trajectory) -> EpisodeBuffer:
    return EpisodeBuffer(
        seed=episode.seed,
        observations=episode.observations,
        actions=episode.actions,
        rewards=episode.rewards,
        terminations=episode.terminations,
        truncations=episode.truncations,
        infos=dict(episode.infos),
    )


def _require_numbers(values: Any) -> None:
    if values.dtype.kind not in "biuf":
        raise ValueError(
            "a dataset holds numbers and arrays of numbers, got members such as "
            f"{np.asarray(values)[0]!r}"
        )


def _name_namespaces(folder: Path, count: int) -> None:
    """Marks the folders above a dataset as namespaces, as Minari does."""
    for each in list(folder.parents)[:count]:
        file = each / "namespace_metadata.json"
        if not file.exists():
            file.write_text("{}", encoding="utf-8")


def main() -> None:
    """Writes the content on standard input into the folder of the command line."""
    try:
        _write(Path(sys.argv[1]), pickle.load(sys.stdin.buffer))
    except Exception as error:
        print(error, file=sys.stderr)
        sys.stdout.buffer.write(pickle.dumps(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
