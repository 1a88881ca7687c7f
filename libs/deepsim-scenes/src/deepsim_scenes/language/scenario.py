# SPDX-License-Identifier: Apache-2.0
"""Compiles scenarios, and samples scenes from them."""

from __future__ import annotations

import os
import random
import re
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_scenes.errors import RejectedError, ScenarioError
from deepsim_scenes.models.model_class import ModelClass
from deepsim_scenes.models.model_list import ModelList
from deepsim_scenes.scene import Scene, SceneObject

from .library import library_on_path, library_text
from .scenic2 import OURS, imported_library, scenic_3_construct, with_library, with_new

_LINE = re.compile(r"(?<=\bline )\d+")


def load_scenario(
    file: str | Path,
    models: ModelList,
    *,
    parameters: Mapping[str, Any] | None = None,
    scenario: str | None = None,
    model: str | None = None,
    dimensions: int | None = None,
    library: str | None = None,
    scenic: int | None = None,
) -> Scenario:
    """Compiles a scenario, which is a program that runs with the caller's permissions.

    A scenario that imports ``deepsim_scenes.model`` has three dimensions; in any other, objects
    are rectangles on the ground. Some specifiers mean different things in Scenic 2 and 3, such as
    ``offset by``, which sets the heading only in Scenic 3.

    Args:
        file: The file of the scenario.
        models: The models that the scenario may place.
        parameters: Values that replace global parameters of the scenario, by name.
        scenario: The modular scenario to sample, if the file has several.
        model: A Scenic module to use instead of the one in the scenario's ``model`` statement.
        dimensions: 2 or 3; by default determined by the module that the scenario imports.
        library: The text of the Scenic module of the models, such as an earlier `Scenario.library`;
            by default generated from `models`.
        scenic: The version of the language, 2 or 3; by default 3 if the scenario has three
            dimensions or a construct of Scenic 3 (``new``, ``on``, ``facing`` three angles),
            otherwise 2.

    Raises:
        ImportError: The extra ``deepsim-scenes[scenic]`` is not installed.
        ScenarioError: The scenario cannot be read or does not compile.
        ValueError: `dimensions` or `scenic` is neither 2 nor 3, or a scenario in Scenic 2 would
            have three dimensions.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{file}: cannot be read: {error}") from error
    if dimensions is None:
        dimensions = 3 if imported_library(text) == OURS else 2
    if dimensions not in (2, 3):
        raise ValueError(f"dimensions must be 2 or 3, got {dimensions}")
    meaning = _meaning(text, dimensions, scenic)
    source = Source(Path(file), *with_library(with_new(text, models.classes)))
    if library is None:
        library = library_text(models.classes.values(), dimensions)
    compile_again = partial(
        _compile, source, library, models.classes, dimensions, meaning.version,
        params=dict(parameters or {}), scenario=scenario, model=model,
    )  # fmt: skip
    return Scenario(compile_again, models, dimensions, library, source, meaning)


class Meaning(NamedTuple):
    """The version of Scenic that gives a scenario its meaning.

    >>> str(Meaning(3, "`new` on line 4"))
    'read as Scenic 3: `new` on line 4'
    """

    version: int
    """2 or 3."""
    reason: str
    """The reason for this version."""

    def __str__(self) -> str:
        return f"read as Scenic {self.version}: {self.reason}"


def _meaning(text: str, dimensions: int, version: int | None) -> Meaning:
    """Returns the chosen version of Scenic, or that of the scenario's constructs."""
    if version not in (None, 2, 3):
        raise ValueError(f"scenic must be 2 or 3, got {version}")
    if version == 2 and dimensions == 3:
        raise ValueError("scenic=2 has two dimensions: import gzscenic.model, or use dimensions=2")
    if version is not None:
        return Meaning(version, "as requested")
    if dimensions == 3:
        return Meaning(3, "it has three dimensions")
    construct = scenic_3_construct(text)
    return Meaning(3, construct) if construct else Meaning(2, "it has no construct of Scenic 3")


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario as Scenic compiles it, to report mistakes in the lines of its file.

    Attributes:
        file: The file.
        text: Its text in Scenic 3, which imports the models.
        moved: The number of lines that were inserted above the scenario.
    """

    file: Path
    text: str
    moved: int

    def in_own_lines(self, message: str) -> str:
        """Returns a message from Scenic with the line numbers of the file."""
        return _LINE.sub(lambda line: str(int(line[0]) - self.moved), message)

    def mistake(self, error: Exception) -> ScenarioError:
        """Converts an error that Scenic or the scenario raised to one with file and line."""
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.file)]
        line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
        place = f"{self.file}:{line - self.moved}" if line else str(self.file)
        text = self.in_own_lines(str(getattr(error, "msg", None) or error))
        return ScenarioError(f"{place}: {type(error).__name__}: {text}")


class Scenario:
    """A compiled scenario.

    Attributes:
        models: The models that the scenario may place.
        dimensions: 2 or 3.
        library: The text of the Scenic module with a class for each model.
        compiled: The `scenic.core.scenarios.Scenario`.
        source: Its text.
        meaning: The version of Scenic in which it is read, and the reason.
        warned: Warnings of engines that were shown already, when its scenes were settled.

    Example::

        scenario = load_scenario("kitchen.scenic", read_models("models.yaml"))
        scene = scenario.sample(seed=0, number=3)
    """

    def __init__(
        self,
        compile_again: Callable[[], Any],
        models: ModelList,
        dimensions: int,
        library: str,
        source: Source,
        meaning: Meaning,
    ) -> None:
        self.compiled = compile_again()
        self._compile = compile_again
        self._copies: list[Scenario] = []
        self.models = models
        self.dimensions = dimensions
        self.library = library
        self.source = source
        self.meaning = meaning
        self.warned: set[str] = set()
        self._rejections = RejectionCounter(self.compiled, source)

    def copies(self, count: int) -> list[Scenario]:
        """Returns scenarios that share nothing, this one first; each is compiled once."""
        while len(self._copies) < count - 1:
            self._copies.append(
                Scenario(
                    self._compile, self.models, self.dimensions, self.library, self.source,
                    self.meaning,
                )
            )  # fmt: skip
        return [self, *self._copies[: count - 1]]

    def sample(
        self, seed: int = 0, number: int = 0, *, attempt: int = 0, limit: int = 2000
    ) -> Scene:
        """Samples a scene. The same arguments give the same scene in any process.

        Args:
            seed: Seed, >= 0.
            number: Number of the scene in the sequence for this seed, >= 0.
            attempt: Number of the attempt if the caller rejected earlier scenes of this number,
                >= 0.
            limit: Greatest number of samples to draw until one meets all requirements.

        Raises:
            RejectedError: No sample met all requirements.
            ScenarioError: A requirement raised an error, or an object has no model.
        """
        from scenic.core.distributions import RejectionException  # noqa: PLC0415 (of an extra)

        from .joint import isolated  # noqa: PLC0415 (of an extra)

        self._rejections.clear()
        with isolated(), seeded(seed, number, attempt):
            try:
                drawn, samples = self.compiled.generate(maxIterations=limit)
            except RejectionException:
                raise RejectedError(limit, self._rejections.reasons(limit)) from None
            except Exception as error:  # a requirement is code of the scenario
                raise self.source.mistake(error) from error
        return Scene(
            objects=tuple(
                scene_object(index, each, self.models, self.dimensions)
                for index, each in enumerate(drawn.objects)
            ),
            models=self.models,
            seed=seed,
            number=number,
            samples=samples,
            dimensions=self.dimensions,
            parameters=dict(drawn.params),
            rejections=self._rejections.reasons(samples),
            attempt=attempt,
            drawn=drawn,
        )


def _compile(
    source: Source,
    library: str,
    classes: Mapping[str, ModelClass],
    dimensions: int,
    version: int,
    **options: Any,
) -> Any:
    """Compiles the text of a scenario with Scenic."""
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore")  # of the packages that Scenic imports
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            import scenic  # noqa: PLC0415 (of an extra)
        except ImportError:
            raise ImportError(
                "Scenic is an extra: pip install --find-links dist 'deepsim-scenes[scenic]'"
            ) from None
        from .joint import isolated, scenic_2  # noqa: PLC0415 (only with Scenic)
        from .shapes import shapes_from  # noqa: PLC0415 (only with Scenic)

        stack.enter_context(isolated())
        if version == 2:
            stack.enter_context(scenic_2())
        stack.enter_context(library_on_path(library))
        stack.enter_context(shapes_from(classes))
        stack.enter_context(seeded(0))
        try:
            return scenic.scenarioFromString(
                source.text, filename=str(source.file), mode2D=dimensions == 2, **options
            )
        except Exception as error:  # a scenario is a program, which may raise any error
            raise source.mistake(error) from error


def scene_object(index: int, drawn: Any, models: ModelList, dimensions: int) -> SceneObject:
    """Converts an object that Scenic sampled.

    Args:
        index: The number of the object in the scene.
        drawn: The sampled `scenic.core.object_types.Object`.
        models: The models of the scenario.
        dimensions: Dimensions of the scenario, 2 or 3.

    Raises:
        ScenarioError: The list has no model for the object.
    """
    name = getattr(drawn, "gz_name", None)
    if name is None or name not in models:
        raise ScenarioError(
            f"object {index} is a {type(drawn).__name__}, for which the list of models has no"
            " model: place classes of the list, or of your own that inherit from them"
        )
    model = models[name]
    size = Vector3(float(drawn.width), float(drawn.length), float(drawn.height))
    center = model.center
    if tuple(size) != tuple(model.size):
        factors = model.factors(size)
        center = Vector3(*(own * by for own, by in zip(center, factors, strict=True)))
    x, y, z = map(float, drawn.position)
    if dimensions == 2:  # z is the height of the model frame
        z = float(drawn.z)
        center = center.replace(z=0.0)
        heading = float(drawn.heading)
        orientation = Quaternion.from_euler(0.0, 0.0, heading)
    else:
        turn, heading = drawn.orientation, float(drawn.yaw)
        orientation = Quaternion(*map(float, (turn.x, turn.y, turn.z, turn.w)))
    position = Vector3(x, y, z)
    frame = position - orientation.rotate(center)
    return SceneObject(f"{name}_{index}", model, size, position, heading, Pose(frame, orientation))


@contextmanager
def seeded(*seed: int) -> Iterator[None]:
    """Seeds the global generators, and restores their states afterwards.

    Args:
        seed: Numbers >= 0 that together form the seed.
    """
    words = np.random.SeedSequence(seed).generate_state(4)
    # Scenic draws from numpy's legacy global generator.
    kept, kept_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(int.from_bytes(words.tobytes(), "little"))
    np.random.seed(words)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(kept_numpy)  # noqa: NPY002


class RejectionCounter:
    """Wraps the checker of a scenario and counts the reasons for rejections.

    Args:
        compiled: A `scenic.core.scenarios.Scenario`; its checker is replaced.
        source: Its text.
    """

    def __init__(self, compiled: Any, source: Source) -> None:
        self._source = source
        self._checker = compiled.checker
        self._counts: Counter[str] = Counter()
        self._checked = 0
        compiled.checker = self

    def checkRequirements(self, sample: Any) -> Any:  # noqa: N802 (Scenic calls it)
        """Returns the requirement that rejects a sample, or None."""
        reason = self._checker.checkRequirements(sample)
        self._checked += 1
        if reason is not None:
            self._counts[str(reason)] += 1
        return reason

    def clear(self) -> None:
        """Forgets all counts."""
        self._counts.clear()
        self._checked = 0

    def reasons(self, samples: int) -> dict[str, int]:
        """Returns the number of samples that each requirement rejected.

        Args:
            samples: Total number of samples drawn. Before it checks requirements, Scenic discards
                samples without an admissible position; these samples count under a separate reason.
        """
        early = samples - self._checked
        own = self._source.in_own_lines
        found = {own(reason): count for reason, count in self._counts.items()}
        if early > 0:
            found["a position that no region admits"] = early
        return found


def parse_parameters(given: Iterable[str]) -> dict[str, Any]:
    """Parses ``NAME=VALUE`` strings; values are read as YAML."""
    found = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            raise ValueError(f"-p takes a name and a value, got {each!r}")
        found[name] = yaml.safe_load(value)
    return found
