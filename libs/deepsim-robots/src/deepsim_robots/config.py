# SPDX-License-Identifier: Apache-2.0
"""The configuration of a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from deepsim_spawn import MjcfModel, ModelDescription

from .description import MountedSensor
from .parts import Gains, Part
from .yaml_config import naming, read_settings, write_settings

Source: TypeAlias = "str | Path | ModelDescription | MjcfModel | None"
"""A source as for `ModelSpawner`, or None for a model that is already in the world."""
Balance: TypeAlias = Literal["none", "gravity", "bias"]
"""Passive forces to balance: ``gravity`` removes the weight of every link, exactly; ``bias``
compensates gravity, centrifugal and Coriolis forces by efforts that are computed once per tick."""

Controllers: TypeAlias = "Literal['position'] | None"
"""How joints are controlled that parts drive in another way; see `RobotConfig.controllers`."""


@dataclass(frozen=True)
class RobotConfig:
    """The configuration of a robot: its model, parts, gains, sensors and home position.

    >>> config = RobotConfig(
    ...     "arm.urdf",
    ...     parts={"arm": Part(["joint_.*"], JointPosition()), "hand": Part(["finger"], Mimic())},
    ...     home={"joint_2": -0.8},
    ...     gains={".*": Gains(stiffness=400, damping=40)},
    ... )
    >>> list(config.parts)
    ['arm', 'hand']

    Attributes:
        source: File, XML or description of the model; None if the model is already in the world.
        parts: Parts by name, in the order of their actions; without any, a robot of an MJCF file
            has one part with all controls of the file, see `default_parts`.
        home: Positions of joints after each reset, by joint name or pattern [rad or m]; by default
            the positions in the model's description, or the nearest within the limits.
        gains: Gains of joints, by joint name or pattern; the last match counts. By default those of
            the joints themselves: of the actuators in MJCF, and 0 for other formats.
        sensors: Sensors in addition to those in the model's description.
        fixed_base: Whether the base is fixed to the world; None leaves it as described.
        balance: Passive forces to balance: ``none``, ``gravity`` or ``bias``; see `Balance`.
        arguments: Arguments of a xacro file, by name.
        controllers: With ``position``, actions are positions of joints wherever the parts drive
            joints by efforts, velocities or the controls of an MJCF file. Joints without stiffness
            get gains from their effort limits: the largest effort at an error of 0.1 rad or 10 mm,
            and a time constant of 50 ms; `Robot.config` has the parts and gains that result. None
            leaves the parts as they are.
    """

    source: Source = None
    parts: Mapping[str, Part] = field(default_factory=dict)
    home: Mapping[str, float] = field(default_factory=dict)
    gains: Mapping[str, Gains] = field(default_factory=dict)
    sensors: tuple[MountedSensor, ...] = ()
    fixed_base: bool | None = None
    balance: Balance = "none"
    arguments: Mapping[str, str] = field(default_factory=dict)
    controllers: Controllers = None

    def __post_init__(self) -> None:
        for name in ("parts", "home", "gains", "arguments"):
            if not isinstance(getattr(self, name), Mapping):
                raise TypeError(f"{name} must be a mapping, got {getattr(self, name)!r}")
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        is_place = isinstance(self.source, (str, Path))  # the text of a description is long
        if is_place and str(self.source).endswith((".yaml", ".yml")):
            raise ValueError(
                f"source must be a model, got {str(self.source)!r}: RobotConfig.from_yaml reads "
                "a configuration"
            )
        object.__setattr__(self, "sensors", tuple(self.sensors))
        for name, part in self.parts.items():
            if not isinstance(part, Part):
                raise TypeError(f"part {name!r} must be a Part, got {part!r}")
        for name, gains in self.gains.items():
            if not isinstance(gains, Gains):
                raise TypeError(f"the gains of {name!r} must be Gains, got {gains!r}")
        for sensor in self.sensors:
            if not isinstance(sensor, MountedSensor):
                raise TypeError(f"a sensor must be a MountedSensor, got {sensor!r}")
        home: Mapping[str, Any] = self.home
        for name, value in home.items():
            if not isinstance(value, Real):
                raise TypeError(f"home of {name!r} must be a number, got {value!r}")
            if not math.isfinite(value):
                raise ValueError(f"home of {name!r} must be finite, got {value!r}")
        if self.fixed_base is not None and not isinstance(self.fixed_base, bool):
            raise TypeError(f"fixed_base must be True, False or None, got {self.fixed_base!r}")
        if self.balance not in ("none", "gravity", "bias"):
            raise ValueError(f"balance must be 'none', 'gravity' or 'bias', got {self.balance!r}")
        if self.controllers not in (None, "position"):
            raise ValueError(f"controllers must be 'position' or None, got {self.controllers!r}")

    def __reduce__(self) -> tuple[Any, ...]:  # a read-only view of a dict cannot be pickled
        values = (getattr(self, each.name) for each in fields(self))
        return type(self), tuple(dict(v) if isinstance(v, Mapping) else v for v in values)

    @classmethod
    def from_yaml(cls, source: str | Path) -> RobotConfig:
        """Reads a configuration from YAML.

        The keys are the names of the attributes. A controller is a name, or a mapping with ``type``
        and settings; a sensor is a mapping with ``link``, ``name``, ``type`` and settings. A
        `source` may be relative to the folder of the file.

        Args:
            source: Path of a file, or the text itself, which must contain a line break.

        Raises:
            UnknownEntityError: A key, controller, sensor or setting is unknown.
            OSError: The file cannot be read.
            TypeError: `fixed_base` is neither true nor false.
            ValueError: The text is not a mapping, or a value is invalid.
        """
        known = [each.name for each in fields(cls)]
        with naming(source):
            return cls(**read_settings(source, known))

    def to_yaml(self) -> str:
        """Returns the configuration as YAML, which `from_yaml` reads.

        >>> print(RobotConfig("arm.urdf", gains={".*": Gains(stiffness=400, damping=40)}).to_yaml())
        source: arm.urdf
        gains:
          .*: {stiffness: 400, damping: 40}
        <BLANKLINE>

        Raises:
            ValueError: The source is not the place of a model, a controller has no name in YAML, or
                there are sensors.
        """
        return write_settings({each.name: getattr(self, each.name) for each in fields(self)})
