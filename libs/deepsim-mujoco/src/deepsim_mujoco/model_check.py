# SPDX-License-Identifier: Apache-2.0
"""Facts about models in files, and checks that build them: what is simulated, and what is not."""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from xml.sax.saxutils import escape

from deepsim_math import Pose
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import (
    STANDING,
    Bounds,
    GazeboXMLLoader,
    MjcfModel,
    ModelDescription,
    ModelFormatError,
    ModelFormatWarning,
    ModelIndex,
    SearchPath,
    WorldDescription,
)
from deepsim_sync import DeepSimError, World

from .simulator import MujocoSimulator
from .spec.mjcf_standing import lowest_point

CONFIG = "model.config"
CODE = ".xacro"
MJCF = ".xml"
_SUFFIXES = (".sdf", ".world", ".urdf")
_NAME = "model"

Facts = list[tuple[str, str]]
"""Names and values, in the order in which they are shown."""


def model_facts(path: Path, search_path: SearchPath) -> Facts:
    """Returns facts about a folder, SDF, URDF or xacro; the error if it cannot be loaded."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            world = _load_world(path, GazeboXMLLoader(search_path))
            bounds = [Bounds.of(model) for model in world.models]
        except ModelFormatError as error:
            return [("fails", str(error))]
    approximated = _approximated(said)
    if len(world.models) != 1:
        counts = {"models": len(world.models), "lights": len(world.lights)}
        return [*((kind, str(count)) for kind, count in counts.items() if count), *approximated]
    (model,) = world.models
    loose, closing = ", ".join(_loose(model)), ", ".join(_closing(model))
    return [
        ("links", str(sum(1 for _ in model.all_links()))),
        ("joints", str(sum(1 for _ in model.all_joints()))),
        ("moves", "no, it is static" if model.static else f"yes, it weighs {_mass(model):g} kg"),
        ("size", _size(bounds[0])),
        *[("closes loops", closing)] * bool(closing),
        *[("held by nothing", f"{loose}; give gains or a controller")] * bool(loose),
        *approximated,
    ]


def mjcf_facts(path: Path, search_path: SearchPath) -> Facts:
    """Returns facts about an MJCF file, and what of it is simulated; the error if it fails."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            description = MjcfModel(path, search_path=search_path)
            simulated = _simulated(description)
        except DeepSimError as error:
            return [("fails", _line(error))]
    files = {key: file.read_bytes() for key, file in description.files.items()}
    model = mujoco.MjModel.from_xml_string(description.text, files)
    keys = [model.key(number).name for number in range(model.nkey)]
    keyframe = next((name for name in STANDING if name in keys), keys[0] if len(keys) == 1 else "")
    data = mujoco.MjData(model)
    if keyframe in keys:
        mujoco.mj_resetDataKeyframe(model, data, keys.index(keyframe))
    mujoco.mj_kinematics(model, data)
    lowest = lowest_point(model, data, description.floor_contacts)
    at = f"at keyframe {keyframe!r}" if keyframe in keys else "as described"
    is_free = (model.jnt_type == mujoco.mjtJoint.mjJNT_FREE).any()
    masses = {model.body(n).name: float(model.body_mass[n]) for n in range(1, model.nbody)}
    loops = ", ".join(_loops(model))
    return [
        ("base", "free" if is_free else "fixed"),
        ("mass", f"{model.body_mass.sum():.4g} kg"),
        ("masses", ", ".join(f"{body} {mass:.3g}" for body, mass in masses.items() if mass)),
        ("joint types", _joint_types(model)),
        *simulated,
        ("sensors", f"{model.nsensor} in the file"),
        ("keyframes", ", ".join(key or "''" for key in keys) or "none"),
        ("lowest point", f"{lowest:.4g} m {at}"),
        *[("closes loops", loops)] * bool(loops),
        *_approximated(said),
    ]


def _simulated(description: MjcfModel) -> Facts:
    """Builds a model, and returns its numbers of rows and what its controls command."""
    world = World(MujocoSimulator())
    try:
        world.spawn(description, _NAME, Pose())
        commanded: dict[str, list[str]] = {}
        for control in world.simulator.descriptions.controls.get(_NAME, ()):
            commanded.setdefault(_COMMANDS[control.column], []).append(control.name)
        entities = world.entities
        return [
            ("links", str(len(entities.links))),
            ("joints", str(len(entities.joints))),
            ("controls", str(sum(map(len, commanded.values())))),
            *((what, ", ".join(names)) for what, names in commanded.items()),
            ("sensor rows", str(len(list(world.sensors)))),
        ]
    finally:
        world.close()


_COMMANDS = {
    "target_position": "positions of",
    "target_velocity": "velocities of",
    "feedforward": "efforts of",
    "target": "actuators",
}
"""What a control commands, by the column that executes it."""


def _joint_types(model: mujoco.MjModel) -> str:
    types = (mujoco.mjtJoint(kind).name.removeprefix("mjJNT_") for kind in model.jnt_type)
    return ", ".join(f"{count} {kind.lower()}" for kind, count in Counter(types).items()) or "none"


def _loops(model: mujoco.MjModel) -> Iterator[str]:
    """Yields the constraints that close loops: two bodies that are connected or welded."""
    for number in range(model.neq):
        kind = mujoco.mjtEq(model.eq_type[number])
        if kind not in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            continue
        ends = model.eq_obj1id[number], model.eq_obj2id[number]
        if mujoco.mjtObj(model.eq_objtype[number]) == mujoco.mjtObj.mjOBJ_SITE:
            names = [model.site(end).name for end in ends]
        else:
            names = [model.body(end).name for end in ends]
        yield f"{kind.name.removeprefix('mjEQ_').lower()} of {' and '.join(names)}"


def _closing(model: ModelDescription) -> list[str]:
    """Returns the names of joints to a link that another joint moves already."""
    seen: set[str] = set()
    found = []
    for joint in model.all_joints():
        found += [joint.name] * (joint.child in seen)
        seen.add(joint.child)
    return found


def _loose(model: ModelDescription) -> list[str]:
    """Returns the names of joints that nothing in the description holds."""
    if model.static:
        return []
    axes = ((joint.name, (joint.axis, joint.axis2)) for joint in model.all_joints())
    return [name for name, own in axes if any(axis and axis.is_loose for axis in own)]


def _approximated(said: Iterable[warnings.WarningMessage]) -> Facts:
    reasons = "\n".join(_line(each.message) for each in said)
    return [("approximated", reasons)] if reasons else []


def _size(bounds: Bounds | None) -> str:
    if bounds is None:
        return "nothing in it collides"
    if not all(map(math.isfinite, bounds.size)):
        return "without end, as it has a plane"
    return " x ".join(f"{length:.4g}" for length in bounds.size) + " m"


def _mass(model: ModelDescription) -> float:
    """Returns the total mass of all links [kg]."""
    return sum(link.inertial.mass for _, link, _ in model.all_links() if link.inertial)


class Verdict(Enum):
    """The outcome of a check."""

    LOADS = "loads"
    APPROXIMATED = "approximated"
    SKIPPED = "skipped"
    FAILS = "fails"


@dataclass(frozen=True)
class ModelCheck:
    """The result of checking one model or world.

    Attributes:
        path: The file or folder.
        verdict: The outcome.
        reasons: Warnings about approximations, remarks about joints that nothing holds, or the
            reason for a failure.
    """

    path: Path
    verdict: Verdict
    reasons: tuple[str, ...] = ()


def models_below(folder: Path) -> Iterator[Path]:
    """Yields folders with a `model.config`, and SDF, URDF and MJCF files outside them, by name.

    Parts of MJCF without bodies of their own are left out. Symbolic links to folders are not
    followed.
    """
    for place, folders, files in os.walk(folder):
        folders.sort()
        if CONFIG in files:
            folders.clear()
            yield Path(place)
            continue
        paths = (Path(place, file) for file in sorted(files))
        yield from (path for path in paths if path.suffix in _SUFFIXES or _is_mjcf(path))


def _is_mjcf(path: Path) -> bool:
    if path.suffix != MJCF or not path.is_file():
        return False
    text = path.read_bytes()
    return b"<mujoco" in text and b"<worldbody" in text


def check_model(path: Path, search_path: Sequence[Path]) -> ModelCheck:
    """Loads a model or world, computes its bounds, and builds it in MuJoCo."""
    remarks: list[str] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ModelFormatWarning)
        try:
            if _is_code(path):
                return ModelCheck(path, Verdict.SKIPPED, ("its file is xacro, which is code",))
            if path.suffix == MJCF and path.is_file():
                _simulated(MjcfModel(path, search_path=search_path))
            else:
                world = _load_world(path, GazeboXMLLoader(search_path))
                for model in world.models:
                    Bounds.of(model, Pose())
                    loose = ", ".join(_loose(model))
                    held = f"nothing holds joint {loose} until gains or a controller do"
                    remarks += [held] * bool(loose)
                MujocoSimulator(world).close()
        except DeepSimError as error:
            return ModelCheck(path, Verdict.FAILS, (_line(error),))
    reasons = dict.fromkeys(_line(each.message) for each in said)
    verdict = Verdict.APPROXIMATED if reasons else Verdict.LOADS
    return ModelCheck(path, verdict, (*reasons, *remarks))


def _load_world(path: Path, loader: GazeboXMLLoader) -> WorldDescription:
    """Loads a file or a model's folder as a world.

    A folder holds a model, or only a light, such as the `sun` of Gazebo.

    Raises:
        ModelFormatError: The file or folder cannot be read.
    """
    if not path.is_dir():
        description = loader.load(path)
        if isinstance(description, ModelDescription):
            return WorldDescription(models=(description,))
        return description
    uri = escape(f"file://{path.absolute()}")
    return loader.load_world(
        f"<sdf version='1.7'><world name='w'><include><uri>{uri}</uri></include></world></sdf>"
    )


def _is_code(path: Path) -> bool:
    """Returns whether a folder's `model.config` names a xacro file."""
    return path.is_dir() and ModelIndex([path.parent])[path.name].file.suffix == CODE


def _line(message: object) -> str:
    return " ".join(str(message).split())
