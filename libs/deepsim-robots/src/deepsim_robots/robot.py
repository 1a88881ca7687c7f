# SPDX-License-Identifier: Apache-2.0
"""Robots: models with named parts, controllers, action bounds and a home position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_spawn import JointAxis, MjcfModel, ModelDescription, ModelSpawner
from deepsim_sync import (
    DuplicateEntityError,
    StateRows,
    UnknownEntityError,
    World,
    WorldNumbers,
    checked_worlds,
)

from .catalogue.robots import ROBOTS, find_robot
from .config import Controllers, RobotConfig
from .controllers.controller import Drive, Floats
from .controllers.names import controller_of
from .description import with_base, with_sensors
from .joint_group import JointGroup, matching
from .manager import RobotManager
from .passive_forces import PassiveForces
from .position_control import with_position_control
from .traits import (
    default_parts,
    described_axes,
    joint_names,
    joint_traits,
    sliding_joints,
    warn_of_loose,
)


class Robot:
    """A robot in every world, held at its home position until actions move it.

    Controllers run in every tick of the world. Each reset of the world puts the robot at home,
    restores its gains and limits, and restarts its controllers.

    >>> world = World(MujocoSimulator(worlds=3), steps_per_tick=10)
    >>> robot = Robot.load(world, "arm")
    >>> robot.set_action(np.zeros((3, robot.action_size)))  # the middle of all bounds
    >>> world.tick()
    >>> robot.observe().shape
    (3, 16)

    Args:
        world: The world, or worlds.
        config: Configuration of the robot, or its YAML file.
        name: A name for the model that is not in use; if ``config.source`` is None, the name of the
            existing model.
        pose: Pose of the model frame in the world frame, a `Pose` or (W, 7); by default from
            the description.

    Attributes:
        model: The row of the model in the world's table.
        joints: All joints in the order of the file, with limits, gains, home and rows.
        parts: The drive of each part that has a controller, by name; cannot be changed.
        slices: The slice of each part in the robot's action, by name.
        lower: Lowest action, (n,); -1 for parts with normalized controllers.
        upper: Highest action, (n,); 1 for parts with normalized controllers.

    Raises:
        UnknownEntityError: A joint, link or controller in the configuration is unknown.
        DuplicateEntityError: The name is in use.
        SpawnError: The model cannot be built.
        ValueError: A part has no bounds or gains, or two parts share a joint. After any of these
            errors, the world is unchanged.
    """

    def __init__(
        self,
        world: World,
        config: RobotConfig | str | Path,
        name: str = "robot",
        pose: ArrayLike | None = None,
    ) -> None:
        self.world = world
        self.config = _configuration(config)
        self.name = name
        manager = world.get(RobotManager)
        if name in manager:
            raise DuplicateEntityError("robot", name)
        description = self._spawn(pose)
        try:
            self._assemble(description)
            self.reset()
        except Exception:
            if self.config.source is not None:
                world.delete(name)
            raise
        manager.add(self)

    @classmethod
    def load(
        cls,
        world: World,
        robot: str,
        name: str | None = None,
        pose: ArrayLike | None = None,
        *,
        keyframe: str | None = None,
        controllers: Controllers = None,
    ) -> Robot:
        """Returns a new robot from the catalogue, such as ``Robot.load(world, "panda")``.

        Args:
            world: The world, or worlds.
            robot: Name in the catalogue; ``deepsim robots list`` shows all.
            name: A name for the model that is not in use; by default its name in the catalogue.
            pose: Pose of the model frame; by default the robot stands on the ground at the origin.
            keyframe: Keyframe of an MJCF file with the home position; see `MjcfModel`.
            controllers: With ``position``, motors become position servos; see `RobotConfig`.

        Raises:
            UnknownEntityError: The robot does not exist.
            MissingPackageError: The robot's package is not installed; the message has the command
                that installs it.
            ValueError: No gains follow for a joint, because it has no effort limit.
        """
        entry = find_robot(robot)
        return cls(
            world,
            entry.load(keyframe=keyframe, on_ground=pose is None, controllers=controllers),
            name if name is not None else robot.rpartition("/")[2],
            pose,
        )

    def _spawn(self, pose: ArrayLike | None) -> ModelDescription | MjcfModel | None:
        """Spawns the model, unless it is already in the world; returns its description."""
        config, world = self.config, self.world
        if config.source is None:
            if self.name not in world.entities.models:
                raise UnknownEntityError(
                    "spawned model, for a configuration without a source,",
                    self.name,
                    world.entities.models,
                )
            if config.fixed_base is not None:
                raise ValueError("fixed_base is for robots with a source, got None as source")
            known = world.simulator.descriptions.models.get(self.name)
            return known if isinstance(known, (ModelDescription, MjcfModel)) else None
        if isinstance(config.source, str):
            _require_no_catalogue_name(config.source)
        arguments = dict(config.arguments) or None
        description = ModelSpawner(config.source, arguments=arguments).description
        description = with_base(description, config.fixed_base)
        description = with_sensors(description, config.sensors)
        world.spawn(description, self.name, pose if pose is not None else description.pose)
        return description

    def _assemble(self, description: ModelDescription | MjcfModel | None) -> None:
        """Applies the configuration to the model."""
        world, name = self.world, self.name
        if not self.config.parts and isinstance(description, MjcfModel):
            self.config = replace(self.config, parts=default_parts(description))
        config = self.config
        self.model: StateRows = world.models.select([name])
        axes = described_axes(description)
        names = joint_names(world, name, axes)
        traits = joint_traits(world, name, names, axes, config)
        self.joints = JointGroup(world, name, "all joints", names, traits)
        if config.controllers == "position":
            controls = world.simulator.descriptions.controls.get(name, ())
            slides = sliding_joints(description)
            config = with_position_control(config, controls, self.joints, axes, slides)
            self.config = config
            traits = joint_traits(world, name, names, axes, config)
            self.joints = JointGroup(world, name, "all joints", names, traits)
        drives: dict[str, Drive] = {}
        self.parts: Mapping[str, Drive] = MappingProxyType(drives)
        self.slices: dict[str, slice] = {}
        self._half: dict[str, Floats] = {}
        owner: dict[int, str] = {}
        controlled: dict[str, str] = {}
        lower, upper = [np.zeros(0)], [np.zeros(0)]
        size = 0
        for part, its in config.parts.items():
            index = matching(f"joint of robot {name!r}", its.joints, names)
            index = [each for each in index if not _follows(axes, names[each])]
            for joint in index:
                if owner.setdefault(joint, part) != part:
                    raise ValueError(
                        f"joint {names[joint]!r} is in two parts, {owner[joint]!r} and {part!r}"
                    )
            if its.controller is None:
                continue
            controller = controller_of(its.controller)
            if not isinstance(controller.normalized, bool):
                raise TypeError(
                    f"normalized of part {part!r} must be True or False, "
                    f"got {controller.normalized!r}"
                )
            group = JointGroup(world, name, part, [names[i] for i in index], traits.take(index))
            drive = controller.drive(group)
            if controller.normalized:
                drive.require_finite()
            for control in drive.controls:
                if controlled.setdefault(control, part) != part:
                    raise ValueError(
                        f"control {control!r} is in two parts, {controlled[control]!r} and "
                        f"{part!r}: name the controls of each"
                    )
            drives[part] = drive
            count = len(drive.lower)
            self.slices[part] = slice(size, size + count)
            size += count
            low, high = drive.lower, drive.upper
            if controller.normalized:
                self._half[part] = (high - low) / 2.0
                low, high = -np.ones(count), np.ones(count)
            lower.append(low)
            upper.append(high)
        self.lower: Floats = np.concatenate(lower)
        self.upper: Floats = np.concatenate(upper)
        if isinstance(description, ModelDescription) and not description.static:
            free = [each for number, each in enumerate(names) if number not in owner]
            warn_of_loose(self.joints, free, axes)
        self._passive = PassiveForces(
            self.joints, [drive.joints for drive in self.parts.values()], config.balance
        )

    def __repr__(self) -> str:
        parts = ", ".join(f"{part}: {span.stop - span.start}" for part, span in self.slices.items())
        return (
            f"Robot({self.name!r}, {len(self.joints)} joints, actions {{{parts}}}, "
            f"{len(self.world)} worlds)"
        )

    @property
    def action_size(self) -> int:
        """The size n of an action."""
        return len(self.lower)

    def set_action(self, actions: ArrayLike, worlds: WorldNumbers | None = None) -> None:
        """Applies actions in some worlds; each lasts until the next one.

        The controllers write targets or efforts into the joints table; the next tick of the world
        sends these rows to the engine, together with the steps.

        Args:
            actions: Actions, (w, n), or (n,) for all w worlds; they are clipped to the bounds.
            worlds: Numbers of the w worlds; all by default.

        Raises:
            ValueError: The shape is wrong, or a number is not finite; nothing was changed.
        """
        chosen = self._numbers(worlds)
        given = np.asarray(actions, dtype=np.float64)
        shape = (len(chosen), self.action_size)
        if given.shape not in (shape, (1, shape[1]), shape[1:]):
            raise ValueError(f"actions of robot {self.name!r} must be {shape}, got {given.shape}")
        if not np.isfinite(given).all():
            raise ValueError(f"actions of robot {self.name!r} must be finite, got {given}")
        clipped = np.clip(np.broadcast_to(given, shape), self.lower, self.upper)
        for part, drive in self.parts.items():
            action = np.ascontiguousarray(clipped[:, self.slices[part]])
            if part in self._half:  # normalized: from [-1, 1] to the bounds of its controller
                action = drive.lower + (action + 1.0) * self._half[part]
            drive.act(action, chosen)

    def observe(self) -> NDArray[np.float64]:
        """Returns the positions, then the velocities, of all j joints, (W, 2 j)."""
        rows = self.joints.rows
        return np.concatenate([rows.position, rows.velocity], axis=1)

    def reset(self, worlds: WorldNumbers | None = None) -> None:
        """Places the joints at home, at rest, and restarts the controllers in some worlds.

        `World.reset` calls this. The base keeps its pose.
        """
        chosen = self._numbers(worlds)
        traits = self.joints.traits
        self.joints.put(
            chosen,
            position=traits.home,
            velocity=0.0,
            target_position=traits.home,
            target_velocity=0.0,
            feedforward=0.0,
            stiffness=traits.stiffness,
            damping=traits.damping,
            effort_limit=traits.effort_limit,
            velocity_limit=traits.velocity_limit,
        )
        for drive in self.parts.values():
            drive.reset(chosen)
        self._passive.reset(chosen)

    @property
    def is_driven(self) -> bool:
        """Whether the robot must be updated in each tick: it has controllers or balances forces."""
        return bool(self.parts) or self._passive.is_followed

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Runs the controllers once; called by the manager in each tick."""
        for drive in self.parts.values():
            drive.update(delta_time, worlds)
        self._passive.update(worlds)

    @property
    def state(self) -> dict[str, Any]:
        """The state and commands of joints and the memory of controllers; can be assigned.

        The state consists of copies, and can be pickled. The approach of a target under a
        velocity limit starts again at the present position of the joint; a snapshot of the world,
        which includes the state, continues it.
        """
        rows = self.joints.rows
        columns = ("position", "velocity", *_COMMAND)
        return {
            "joints": {column: rows.get(column) for column in columns},
            "parts": self.memory,
        }

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._require_alike(state["parts"])
        self.joints.rows.put(None, **state["joints"])
        self.memory = state["parts"]

    @property
    def memory(self) -> dict[str, dict[str, Floats]]:
        """The memory of the controllers by part; can be assigned."""
        return {part: drive.get_state() for part, drive in self.parts.items()}

    @memory.setter
    def memory(self, memory: Mapping[str, Mapping[str, Floats]]) -> None:
        self._require_alike(memory)
        for part, drive in self.parts.items():
            drive.set_state(memory[part])

    def _require_alike(self, memory: Mapping[str, Mapping[str, Floats]]) -> None:
        """Raises ValueError for the memory of other parts or controllers."""
        if list(memory) != list(self.parts):
            raise ValueError(
                f"the state has parts {list(memory)}, but robot {self.name!r} has "
                f"{list(self.parts)}"
            )
        for part, drive in self.parts.items():
            has = sorted(drive.get_state())
            if sorted(memory[part]) != has:
                raise ValueError(
                    f"the state of part {part!r} has {sorted(memory[part])}, but its controller in "
                    f"robot {self.name!r} has {has}: restore it into a robot with equal controllers"
                )

    def link(self, name: str) -> StateRows:
        """Returns the row of a link; raises UnknownEntityError if there is no such link."""
        return self.joints.link(name)

    def delete(self) -> None:
        """Removes the robot and its model from every world."""
        self.world.get(RobotManager).remove(self)
        self.world.delete(self.name)

    def _numbers(self, worlds: WorldNumbers | None) -> WorldNumbers:
        count = len(self.world)
        return np.arange(count) if worlds is None else checked_worlds(worlds, count)


_COMMAND = (
    "target_position",
    "target_velocity",
    "feedforward",
    "stiffness",
    "damping",
    "effort_limit",
    "velocity_limit",
)


def _configuration(given: RobotConfig | str | Path) -> RobotConfig:
    """Returns the configuration, or reads it from a YAML file."""
    if isinstance(given, RobotConfig):
        return given
    if not isinstance(given, (str, Path)):
        raise TypeError(f"config must be a RobotConfig or a YAML file, got {given!r}")
    _require_no_catalogue_name(str(given))
    return RobotConfig.from_yaml(given)


def _require_no_catalogue_name(given: str) -> None:
    """Raises FileNotFoundError for a robot of the catalogue where a file is expected."""
    if given in ROBOTS and not Path(given).exists():
        raise FileNotFoundError(
            f"no file is named {given!r}: Robot.load(world, {given!r}) loads the robot of the "
            "catalogue"
        )


def _follows(axes: Mapping[str, JointAxis], name: str) -> bool:
    """Returns whether a joint mimics another joint, so it cannot be driven itself."""
    return name in axes and axes[name].mimic is not None
