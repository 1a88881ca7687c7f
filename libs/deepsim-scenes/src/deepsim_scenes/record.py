# SPDX-License-Identifier: Apache-2.0
"""Records of drawn scenes, from which they are drawn again and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from .errors import SceneError
from .language.scenario import load_scenario
from .models.model_list import read_models
from .scene import Scene
from .settling import OpenSimulator, sample_settled

_FORMAT, _VERSION = "deepsim-scenes", 1
_PLAIN = re.compile(r"[\w-]*")  # is no path to another folder


class SceneRecord:
    """The objects of scenes with all that they were drawn from, as one file of JSON.

    The scenario is a program: its file has a digest in the record, and is given again by the
    caller. Nothing in the record is run.

    Args:
        path: A file that `write` wrote.

    Attributes:
        path: The file.
        facts: Seed, settings, digests of the scenario and its models, and the software.
        software: The versions of the software.
        scenes: The objects of each scene by name.

    Raises:
        OSError: The file cannot be read.
        SceneError: It is not a record, is of another version, or is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            if (found["format"], found["version"]) != (_FORMAT, _VERSION):
                raise SceneError(f"{path} is not a record of scenes of version {_VERSION}")
            self.facts: dict[str, Any] = dict(found["facts"])
            self.scenes: list[dict[str, dict[str, Any]]] = [
                {name: dict(each) for name, each in scene.items()} for scene in found["scenes"]
            ]
            self._seed, self._limit = int(self.facts["seed"]), int(self.facts["limit"])
            self._settle = float(self.facts["settle"])
            self._parameters = dict(self.facts["parameters"])
            self._part, self._scenic = self.facts["part"], self.facts["scenic"]
            self._files = {name: str(self.facts["files"][name]) for name in ("scenario", "models")}
            self.software: dict[str, str] = dict(self.facts["software"])
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise SceneError(f"{path} is not a record of scenes: {error!r}") from error

    @staticmethod
    def write(
        path: Path,
        scenes: Sequence[Scene],
        scenario: Path,
        models: Path,
        settings: Mapping[str, Any],
        software: Mapping[str, str],
    ) -> None:
        """Writes a record.

        Args:
            path: The file; an existing one is replaced.
            scenes: The scenes of one seed, from number 0 on.
            scenario: The Scenic file.
            models: The list of models.
            settings: Seed, limit, settle, parameters, part and scenic, as in `verify`.
            software: The versions of the software.
        """
        facts = {**settings, "files": _digests(scenario, models), "software": dict(software)}
        content = {"format": _FORMAT, "version": _VERSION, "facts": facts}
        listed = [_objects(scene) for scene in scenes]
        path.write_text(json.dumps({**content, "scenes": listed}), encoding="utf-8")

    def verify(
        self, scenario: Path, models: Path, open_simulator: OpenSimulator
    ) -> tuple[list[tuple[str, str, str]], str | None]:
        """Draws all scenes again, and compares names, models, sizes and poses bit for bit.

        Args:
            scenario: The Scenic file, a program.
            models: The list of models.
            open_simulator: Opens a simulator, for scenes that had to settle.

        Returns:
            The files that differ, each with recorded digest and digest here; and the first
            difference in a sentence, or None.

        Raises:
            SceneError: A recorded parameter may name a file, or a scene cannot be drawn.
        """
        for name, value in {**self._parameters, "part": self._part}.items():
            if not isinstance(value, bool | int | float | None) and not (
                isinstance(value, str) and _PLAIN.fullmatch(value)
            ):
                raise SceneError(
                    f"{self.path} has {name}={value!r}, which may name a file, and is not taken "
                    "from a record: draw the scenes again by `deepsim scenes`"
                )
        compiled = load_scenario(
            scenario,
            read_models(models),
            parameters=self._parameters,
            scenario=self._part,
            scenic=self._scenic,
        )
        before, now = self._files, _digests(scenario, models)
        changed = [(name, before[name], now[name]) for name in now if before[name] != now[name]]
        for number, recorded in enumerate(self.scenes):
            scene, _ = sample_settled(
                compiled, open_simulator, self._seed, number,
                seconds=self._settle, limit=self._limit,
            )  # fmt: skip
            if difference := _difference(recorded, json.loads(json.dumps(_objects(scene)))):
                return changed, f"scene {number}, {difference}"
        return changed, None


def _digests(scenario: Path, models: Path) -> dict[str, str]:
    return {
        name: sha256(file.read_bytes()).hexdigest()[:16]
        for name, file in (("scenario", scenario), ("models", models))
    }


def _objects(scene: Scene) -> dict[str, Any]:
    return {
        each.name: {
            "model": each.model.name,
            "size": list(each.size),
            "position": list(each.position),
            "heading": each.heading,
            "pose": np.asarray(each.pose, dtype=np.float64).tolist(),
        }
        for each in scene.objects
    }


def _difference(recorded: Any, here: Any) -> str | None:
    """Returns the first object and column that differ, with both values."""
    for name in sorted(recorded.keys() ^ here.keys()):
        side = "the recording" if name in recorded else "the scene drawn here"
        return f"object {name!r} is only in {side}"
    for name in here:
        for column, value in here[name].items():
            other = recorded[name].get(column)
            cells = [("", other, value)]
            if isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
                cells = [(f"[{row}]", other[row], value[row]) for row in range(len(value))]
            for place, one, two in cells:
                if json.dumps(one) != json.dumps(two):
                    return f"object {name!r}, {column}{place}: recorded {one!r}, here {two!r}"
    return None
