# SPDX-License-Identifier: Apache-2.0
"""The entries of the catalogue, whose files are in packages that are installed, or in DeepSim."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal, TypeAlias

from deepsim_math import Pose
from deepsim_robots.config import Balance, Controllers, RobotConfig
from deepsim_robots.parts import Gains, Part
from deepsim_robots.traits import default_parts
from deepsim_spawn import (
    GazeboXMLLoader,
    MjcfModel,
    ModelDescription,
    ModelFormatWarning,
    UnsupportedElementWarning,
)
from deepsim_sync import DeepSimError


class MissingPackageError(DeepSimError):
    """The package of a robot is not installed, or does not contain its file."""


def is_installed(package: str) -> bool:
    """Returns whether a package is installed, given its name on the package index."""
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def package_file(package: str, file: str, robot: str) -> Path:
    """Returns the path of a file in an installed package.

    Args:
        package: Name on the package index.
        file: Path of the file, relative to the folder of installed packages, or the end of a path
            outside it.
        robot: Name of the robot that needs the file, for error messages.

    Raises:
        MissingPackageError: The package is not installed, or does not contain the file.
    """
    if not is_installed(package):
        raise MissingPackageError(f"robot {robot!r} needs a package: pip install {package}")
    found = distribution(package)
    path = Path(str(found.locate_file(file)))
    if not path.is_file():  # packages may have data outside the folder of installed packages
        data = (each for each in found.files or () if each.as_posix().endswith(f"/{file}"))
        path = next((Path(str(each.locate())).resolve() for each in data), path)
    if not path.is_file():
        raise MissingPackageError(
            f"robot {robot!r}: {package} {found.version} has no {file!r}; "
            f"another version may: pip install --upgrade {package}"
        )
    return path


KINDS = (
    *("arm", "bimanual", "gripper", "hand", "quadruped", "humanoid", "biped"),
    *("wheeled", "flying", "toy", "other"),
)
"""Kinds of robots, in the order of lists."""

Engine: TypeAlias = Literal["mujoco", "gazebo"]

MODELS = Path(__file__).resolve().parents[1] / "models"
"""The folder of DeepSim's own robots."""


@dataclass(frozen=True)
class CatalogueEntry:
    """A robot of the catalogue: its file and configuration.

    >>> arm = find_robot("arm")
    >>> arm.kind, arm.is_installed, sorted(arm.parts)
    ('arm', True, ['arm', 'gripper'])

    Attributes:
        name: Name in the catalogue.
        about: Short description.
        kind: One of `KINDS`.
        file: Path relative to the folder of installed packages, or to `MODELS` for own robots.
        package: Name of the package with the file; empty for DeepSim's own robots.
        licence: SPDX identifier of the file's licence.
        parts: As in `RobotConfig`; by default the controls of an MJCF file.
        home: As in `RobotConfig`; added to the keyframe ``home`` of an MJCF file.
        gains: As in `RobotConfig`; added to the gains of an MJCF file's actuators.
        position_gains: Gains that ``controllers="position"`` adds, where those that follow from
            effort limits do not let the robot stand, or there are no limits.
        balance: As in `RobotConfig`.
        fixed_base: As in `RobotConfig`.
        on_gazebo: Whether tests have shown that Gazebo 11 also holds the robot at home.
        height: Height of the model frame above the ground when the robot stands at home [m].
    """

    name: str
    about: str
    kind: str
    file: str
    package: str = ""
    licence: str = "Apache-2.0"
    parts: Mapping[str, Part] = field(default_factory=dict)
    home: Mapping[str, float] = field(default_factory=dict)
    gains: Mapping[str, Gains] = field(default_factory=dict)
    position_gains: Mapping[str, Gains] = field(default_factory=dict)
    balance: Balance = "none"
    fixed_base: bool | None = None
    on_gazebo: bool = True
    height: float = 0.0

    @property
    def engines(self) -> tuple[Engine, ...]:
        """The engines that can simulate the robot."""
        return ("mujoco", "gazebo") if self.on_gazebo and not self.is_mjcf else ("mujoco",)

    @property
    def is_mjcf(self) -> bool:
        """Whether the file is in MuJoCo's format."""
        return self.file.endswith(".xml")

    @property
    def is_installed(self) -> bool:
        """Whether the robot's package is installed; always true for DeepSim's own robots."""
        return not self.package or is_installed(self.package)

    @property
    def path(self) -> Path:
        """The path of the file; raises MissingPackageError if its package is not installed."""
        if not self.package:
            return MODELS / self.file
        return package_file(self.package, self.file, self.name)

    def description(
        self, *, keyframe: str | None = None, on_ground: bool = True
    ) -> ModelDescription | MjcfModel:
        """Returns the description of the model at its standing height, without plugins.

        Warnings about approximated parts of the file are suppressed.

        Args:
            keyframe: Keyframe of an MJCF file; see `MjcfModel`.
            on_ground: Whether the frame of an MJCF model is below its lowest point; the entry's
                `height` counts otherwise.

        Raises:
            MissingPackageError: The robot's package is not installed.
        """
        pose = Pose((0.0, 0.0, self.height))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelFormatWarning)
            warnings.simplefilter("ignore", UnsupportedElementWarning)
            if self.is_mjcf:
                pose = Pose() if on_ground else pose
                return MjcfModel(self.path, keyframe=keyframe, on_ground=on_ground, pose=pose)
            return replace(GazeboXMLLoader().load_model(self.path), pose=pose, plugins=())

    def load(
        self,
        *,
        keyframe: str | None = None,
        on_ground: bool = True,
        controllers: Controllers = None,
    ) -> RobotConfig:
        """Returns the robot's configuration; ``dataclasses.replace`` makes variants of it.

        Args:
            keyframe: Keyframe of an MJCF file; see `MjcfModel`.
            on_ground: Whether the frame of an MJCF model is below its lowest point.
            controllers: As in `RobotConfig`.

        Raises:
            MissingPackageError: The robot's package is not installed.
        """
        source = self.description(keyframe=keyframe, on_ground=on_ground)
        parts = self.parts
        if isinstance(source, MjcfModel) and not parts:
            parts = default_parts(source)
        return RobotConfig(
            source,
            parts=parts,
            home=self.home,
            gains={**self.gains, **(self.position_gains if controllers else {})},
            controllers=controllers,
            fixed_base=self.fixed_base,
            balance=self.balance,
        )
