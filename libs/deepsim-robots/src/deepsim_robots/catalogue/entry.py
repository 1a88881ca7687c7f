# SPDX-License-Identifier: Apache-2.0
"""One robot of the catalogue."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from deepsim_math import Pose
from deepsim_robots.config import Balance, RobotConfig
from deepsim_robots.mjcf_settings import actuator_gains, keyframe_positions
from deepsim_robots.parts import Gains, Part
from deepsim_spawn import (
    GazeboXMLLoader,
    MjcfModel,
    ModelDescription,
    ModelFormatWarning,
    UnsupportedElementWarning,
)

from .packages import is_installed, package_file

Engine: TypeAlias = Literal["mujoco", "gazebo"]

MODELS = Path(__file__).resolve().parents[1] / "models"
"""The folder of our own robots."""


@dataclass(frozen=True)
class CatalogueEntry:
    """A robot of the catalogue: where its file is, and everything that makes a robot of it.

    >>> arm = find_robot("arm")
    >>> arm.kind, arm.is_installed, sorted(arm.parts)
    ('arm', True, ['arm', 'gripper'])

    Attributes:
        name: In the catalogue.
        about: In a few words.
        kind: ``arm``, ``gripper``, ``legged``, ``wheeled``, ``flying`` or ``toy``.
        file: Path in the folder of installed packages, or in that of our own models.
        package: The package on the index that holds it; empty for our own.
        licence: Of the file, by SPDX.
        parts: As in `RobotConfig`.
        home: As in `RobotConfig`. Positions of the keyframe ``home`` of MJCF count where it is
            silent.
        gains: As in `RobotConfig`. MJCF's own actuators count where it is silent.
        balance: As in `RobotConfig`.
        fixed_base: As in `RobotConfig`.
        on_gazebo: Whether it holds its home on Gazebo 11, too.
        height: Of the model frame above the ground, so that it stands there at home [m].
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
    balance: Balance = "none"
    fixed_base: bool | None = None
    on_gazebo: bool = True
    height: float = 0.0

    @property
    def engines(self) -> tuple[Engine, ...]:
        """The engines on which it stands; Gazebo takes no MJCF."""
        return ("mujoco", "gazebo") if self.on_gazebo and not self.is_mjcf else ("mujoco",)

    @property
    def is_mjcf(self) -> bool:
        """Whether its file is in MuJoCo's format."""
        return self.file.endswith(".xml")

    @property
    def is_installed(self) -> bool:
        """Whether its package is there; our own robots always are."""
        return not self.package or is_installed(self.package)

    @property
    def path(self) -> Path:
        """The file.

        Raises:
            MissingPackageError: Its package is not installed; the message says the command.
        """
        if not self.package:
            return MODELS / self.file
        return package_file(self.package, self.file, self.name)

    def description(self) -> ModelDescription | MjcfModel:
        """Returns the model, at its height above the ground.

        What its file holds beyond this library, and each repair, is known and not warned of;
        plugins, which are for ROS, are left out.

        Raises:
            MissingPackageError: Its package is not installed.
        """
        pose = Pose((0.0, 0.0, self.height))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelFormatWarning)
            warnings.simplefilter("ignore", UnsupportedElementWarning)
            if self.is_mjcf:
                return MjcfModel(self.path, pose=pose)
            return replace(GazeboXMLLoader().load_model(self.path), pose=pose, plugins=())

    def load(self) -> RobotConfig:
        """Returns the configuration of a robot, for `Robot`; ``dataclasses.replace`` changes it.

        Raises:
            MissingPackageError: Its package is not installed.
        """
        source = self.description()
        home, gains = dict(self.home), dict(self.gains)
        if isinstance(source, MjcfModel):
            home = {**keyframe_positions(source), **home}
            gains = {**actuator_gains(source), **gains}
        return RobotConfig(
            source,
            parts=self.parts,
            home=home,
            gains=gains,
            fixed_base=self.fixed_base,
            balance=self.balance,
        )
