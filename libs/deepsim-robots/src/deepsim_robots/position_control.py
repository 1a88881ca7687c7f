# SPDX-License-Identifier: Apache-2.0
"""Position control of joints that parts drive otherwise, with gains that follow from a rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from deepsim_spawn import JointAxis
from deepsim_sync import SCOPE, Control

from .config import RobotConfig
from .controllers.joint_position import JointPosition
from .controllers.joint_rates import JointEffort, JointVelocity
from .controllers.model_controls import ModelControls
from .controllers.names import controller_of
from .joint_group import Floats, JointGroup, matching
from .parts import Gains, Part

ANGLE, SLIDE = 0.1, 0.01
"""Error at which a joint with gains of the rule exerts its largest effort [rad, m]."""
DECAY = 0.05
"""Time constant of a joint with gains of the rule: its damping over its stiffness [s]."""


def with_position_control(
    config: RobotConfig,
    controls: Iterable[Control],
    joints: JointGroup,
    axes: Mapping[str, JointAxis],
    slides: Collection[str],
) -> RobotConfig:
    """Returns a configuration whose parts control positions, with the gains that this needs.

    Args:
        config: The configuration of the robot.
        controls: The controls of the model's file.
        joints: All joints of the robot.
        axes: Axes of joints by name.
        slides: Names of the joints that slide.

    Raises:
        ValueError: A joint has neither stiffness nor an effort limit, or a part cannot be kept.
    """
    names, traits = joints.names, joints.traits
    leading = np.array([name not in axes or axes[name].mimic is None for name in names], dtype=bool)
    limited = np.isfinite(traits.effort_limit) & (traits.effort_limit > 0.0)
    drivable = np.flatnonzero(limited | (traits.stiffness > 0.0))
    parts, held = _position_parts(
        config.parts, controls, joints.model, names, {names[joint] for joint in drivable}
    )
    held = [joint for joint in held if leading[joint]]
    reach = np.where([name in slides for name in names], SLIDE, ANGLE)
    gains = {**config.gains, **_gains(joints, held, reach)}
    return replace(config, parts=parts, gains=gains, controllers=None)


def _position_parts(
    parts: Mapping[str, Part],
    controls: Iterable[Control],
    model: str,
    names: Sequence[str],
    drivable: Collection[str],
) -> tuple[dict[str, Part], list[int]]:
    """Returns parts that control positions where the given ones drive joints in another way.

    Parts with the controls of an MJCF file become ``joints``, with the positions of all joints that
    a motor or a position servo drives, and ``controls``, with what is left: velocity servos and
    actuators of tendons, sites, bodies and muscles. Joint efforts and velocities become positions;
    other controllers stay. A robot without parts gets ``joints``, with all drivable joints.

    Args:
        parts: The parts.
        controls: The controls of the model's file.
        model: Name of the model.
        names: Names of its joints.
        drivable: Names of those that have stiffness or an effort limit.

    Returns:
        The parts, and the indices of the joints whose positions are controlled instead.

    Raises:
        ValueError: A part has limits of controls, or another part has one of the new names.
    """
    made: dict[str, Part] = {}
    own: list[Control] = []
    held: list[int] = []
    normalized = False
    for part, its in parts.items():
        controller = None if its.controller is None else controller_of(its.controller)
        scope = matching(f"joint of robot {model!r}", its.joints, names)
        if isinstance(controller, ModelControls):
            if controller.lower is not None or controller.upper is not None:
                raise ValueError(
                    f"part {part!r} of robot {model!r} has lower or upper controls, which are not "
                    "positions: leave them out, or controllers='position'"
                )
            own += controller.chosen(controls, model, part, [names[joint] for joint in scope])
            normalized |= controller.normalized
        elif isinstance(controller, (JointEffort, JointVelocity)):
            made[part] = Part(its.joints, JointPosition(normalized=controller.normalized))
            held += scope
        else:
            made[part] = its
    columns: dict[str, set[str]] = {}
    for control in (each for each in own if each.kind == "joints"):
        columns.setdefault(control.row.removeprefix(model + SCOPE), set()).add(control.column)
    rolling = {
        joint
        for joint, driven in columns.items()
        if "target_velocity" in driven and "target_position" not in driven
    }
    joints = columns.keys() - rolling if parts else set(drivable)
    for part in ("joints", "controls"):
        if part in made and own:
            raise ValueError(
                f"controllers='position' makes a part {part!r}: rename that of {model!r}"
            )
    if joints:
        ordered = [name for name in names if name in joints]
        made["joints"] = Part(ordered, JointPosition(normalized=normalized))
        held += map(names.index, ordered)
    left = [each for each in own if each.row.removeprefix(model + SCOPE) not in joints]
    if left:
        names_left = [each.name for each in left]
        rest = ModelControls(controls=names_left, normalized=normalized)
        made["controls"] = Part([name for name in names if name in rolling], rest)
    return made, held


def _gains(joints: JointGroup, held: Iterable[int], reach: Floats) -> dict[str, Gains]:
    """Returns gains that follow from a rule for the held joints without stiffness, by name.

    At an error of `ANGLE` or `SLIDE` a joint exerts its largest effort: a softer one would not use
    its motor before it sags further, and a stiffer one would saturate at smaller errors. The
    damping is the stiffness times `DECAY`, so that an error decays with this time constant where
    inertia is small. Unitree's example that lets a Go2 stand has 60 N m/rad and 5 N m s/rad, thus
    83 ms (unitree_sdk2_python, example/go2/low_level/go2_stand_example.py).

    Args:
        joints: All joints.
        held: Indices of the joints that are held.
        reach: Error at which each joint exerts its largest effort [rad or m], (n,).

    Raises:
        ValueError: A joint has neither stiffness nor an effort limit.
    """
    traits, names = joints.traits, joints.names
    weak = [joint for joint in held if traits.stiffness[joint] == 0.0]
    without = [names[joint] for joint in weak if not np.isfinite(traits.effort_limit[joint])]
    if without:
        more = f" and {len(without) - 3} more" if len(without) > 3 else ""
        raise ValueError(
            f"controllers='position' finds no gains for joint {', '.join(without[:3])}{more} of "
            f"robot {joints.model!r}, which has no effort limit: give the configuration gains"
        )
    gains = {}
    for joint in weak:
        stiffness = traits.effort_limit[joint] / reach[joint]
        damping = max(traits.damping[joint], stiffness * DECAY)
        limits = float(traits.effort_limit[joint]), float(traits.velocity_limit[joint])
        gains[names[joint]] = Gains(float(stiffness), float(damping), *limits)
    return gains
