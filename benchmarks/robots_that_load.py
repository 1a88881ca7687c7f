# SPDX-License-Identifier: Apache-2.0
"""Loads, spawns and runs the robots of installed packages, and writes docs/robots-that-load.md.

    python benchmarks/robots_that_load.py example-robot-data icub-models /a/folder ...

Each URDF, SDF and xacro file is loaded, put on the ground (a world is taken as it is), and run for
2 s on the embedded engine. Where pybullet is installed, it reads the URDF files too; joints (name
and type), masses and principal moments of inertia are compared; where trimesh is installed, the
boxes around all meshes, too. xacro files that others include, and those without a link of their
own, are parts, and do not count.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Bounds,
    CollisionDescription,
    GazeboXMLLoader,
    LinkDescription,
    Mesh,
    ModelDescription,
    ModelFormatWarning,
    WorldDescription,
)
from deepsim_sync import DeepSimError, Transform, World

PAGE = Path(__file__).resolve().parents[1] / "docs" / "robots-that-load.md"
SUFFIXES = (".urdf", ".sdf", ".world", ".xacro")
SECONDS = 2.0
FASTEST = 50.0  # [m/s]; what falls for 2 s has 20
SAME_BOX = 1e-4  # [m]
Boxes = dict[tuple[Path, tuple[float, ...]], str]
GROUND = GazeboXMLLoader().load_model(
    "<sdf version='1.6'><model name='ground'><static>true</static><link name='link'>"
    "<collision name='c'><geometry><plane/></geometry></collision></link></model></sdf>"
)
BULLET_TYPES = {0: "revolute", 1: "prismatic", 2: "ball", 4: "fixed"}
HEAD = """# Robots that load

Robots of other packages, read by deepsim-spawn, put on the ground and run for 2 s in steps of 1 ms
on the embedded engine. This page is written by one command, once the packages are installed:

    {command}

- "runs": loaded, spawned, and after 2 s every pose is finite and no link is faster than 50 m/s.
- "as pybullet": of the URDF files that run and that pybullet reads, those with the same joints by
  name and type, and the same masses and principal moments of inertia within a thousandth. Links
  without mass are left out, because pybullet gives links without `<inertial>` 1 kg; so are inertias
  that pybullet drops. An inertia that no rigid body can have becomes the nearest possible one here;
  pybullet changes it in another way.
- "meshes as trimesh": of the mesh files of models that run, those whose bounding boxes agree with
  trimesh's within {same}.
- xacro files that others include, and files without a link of their own (parts of robots, a
  deformable body), do not count.
"""


@dataclass
class Outcome:
    """What became of one file."""

    repairs: set[str] = field(default_factory=set)
    part: bool = False
    trouble: str = ""
    difference: str | None = None
    """From pybullet; empty if there is none, None if it was not compared."""
    boxes: Boxes = field(default_factory=dict)
    """By mesh and scale, the difference from trimesh's box; empty if there is none."""


@dataclass
class Source:
    """A package or folder, and the outcomes of its files by name."""

    name: str
    outcomes: list[tuple[str, Outcome]]

    def row(self) -> list[int]:
        """Files, those that run, those repaired, compared and equal, meshes and equal, parts."""
        whole = [outcome for _, outcome in self.outcomes if not outcome.part]
        runs = [outcome for outcome in whole if not outcome.trouble]
        compared = [outcome for outcome in runs if outcome.difference is not None]
        boxes = {mesh: odd for outcome in runs for mesh, odd in outcome.boxes.items()}
        return [
            len(whole),
            len(runs),
            sum(bool(outcome.repairs) for outcome in runs),
            len(compared),
            sum(not outcome.difference for outcome in compared),
            len(boxes),
            sum(not odd for odd in boxes.values()),
            len(self.outcomes) - len(whole),
        ]


def main() -> None:
    """Writes the page and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", help="installed packages, or folders")
    parser.add_argument("--skip", default="$.", help="leave out files whose path matches this")
    parser.add_argument("--print-only", action="store_true", help="leave the page as it is")
    chosen = parser.parse_args()
    sources = [check(name, chosen.skip) for name in chosen.sources]
    text = page(sources, " ".join(["python", "benchmarks/robots_that_load.py", *sys.argv[1:]]))
    print(text)
    if not chosen.print_only:
        PAGE.write_text(text)


def check(name: str, skip: str) -> Source:
    """Tries all files of a package or folder, in processes of their own."""
    files = [file for file in sorted(files_of(name)) if not re.search(skip, str(file))]
    included = {
        Path(match).name
        for file in files
        if file.suffix == ".xacro"
        for match in re.findall(r'include\s+filename="([^"]+)"', file.read_text(errors="replace"))
    }
    shelf = Path(os.path.commonpath([file.parent for file in files])) if files else Path()
    whole = [file for file in files if file.name not in included]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(check_file, whole, [shelf] * len(whole)))
    found = [(file.name, outcome) for file, outcome in zip(whole, outcomes, strict=True)]
    parts = [(file.name, Outcome(part=True)) for file in files if file.name in included]
    return Source(name if not Path(name).is_dir() else Path(name).name, [*found, *parts])


def check_file(file: Path, shelf: Path) -> Outcome:
    """Tries a file of a package that lies in a folder."""
    print(file, file=sys.stderr, flush=True)
    try:
        description, repairs = load(file)
    except DeepSimError as error:
        part = "must have a link" in str(error) or (
            file.suffix == ".xacro" and "unknown link '" in str(error)
        )
        return Outcome(part=part, trouble=reason(error, shelf))
    outcome = Outcome({cure(repair) for repair in repairs if "; " in repair})
    outcome.trouble = run(description).replace(f"{shelf}/", "")
    if not outcome.trouble:
        outcome.boxes = compare_boxes(description)
        if file.suffix == ".urdf":
            outcome.difference = compare(file, description)
    return outcome


def files_of(name: str) -> Iterator[Path]:
    """All files of a package or folder that may describe a robot."""
    if Path(name).is_dir():
        yield from (Path(place, file) for place, _, files in os.walk(name) for file in files
                    if file.endswith(SUFFIXES))  # fmt: skip
        return
    try:
        package = distribution(name)
    except PackageNotFoundError:
        sys.exit(f"{name!r} is neither a folder nor an installed package: pip install {name}")
    for entry in package.files or ():
        if str(entry).endswith(SUFFIXES):
            yield Path(str(package.locate_file(entry))).resolve()


def load(file: Path) -> tuple[ModelDescription | WorldDescription, list[str]]:
    """What a file describes, and what was repaired or approximated in it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ModelFormatWarning)
        description = GazeboXMLLoader().load(file)
    return description, [str(each.message) for each in said if each.category is ModelFormatWarning]


def cure(repair: str) -> str:
    """What was done about it, without the values of one file."""
    return re.sub(r": ixx .*| \(\d+ times in this load\)$", "", repair.rsplit("; ", 1)[-1])


def reason(error: DeepSimError, shelf: Path) -> str:
    """An error on one line, without the folders of this machine."""
    text = re.sub(r"; searched .*", "", str(error)).replace(str(shelf) + "/", "")
    return " ".join(re.sub(r"^\S+?(?=:\d+: )", "line", text).split())[:240]


def run(description: ModelDescription | WorldDescription) -> str:
    """Runs a model on the ground, or a world, for 2 s; the reason if that fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if isinstance(description, WorldDescription):
                world = World(MujocoSimulator(description))
                names = [model.name for model in description.models]
            else:
                world = World(MujocoSimulator(WorldDescription(models=(GROUND,))))
                names = ["robot"]
                bounds = Bounds.of(description)
                low = 0.0 if bounds is None or not np.isfinite(bounds.lower.z) else bounds.lower.z
                world.spawn(description, "robot", Pose((0.0, 0.0, 0.01 - low)))
            links = [
                Transform(world, model).link(link) for model, link in links_of(description, names)
            ]
            for _ in range(round(SECONDS / world.timestep)):
                world.tick()
            speeds = [np.linalg.norm(np.asarray(link.twist.linear)) for link in links]
            places = [np.abs(np.asarray(link.pose.position)).max() for link in links]
            world.close()
        except DeepSimError as error:
            return " ".join(str(error).split())[:240]
    fastest = max(speeds, default=0.0)
    if not np.isfinite([*speeds, *places]).all() or fastest > FASTEST:
        return f"blows up: a link has {fastest:.3g} m/s after 2 s"
    return ""


def links_of(
    description: ModelDescription | WorldDescription, names: list[str]
) -> Iterator[tuple[str, str]]:
    """The model's name and the scoped name of every link."""
    models = [description] if isinstance(description, ModelDescription) else description.models
    for name, model in zip(names, models, strict=True):
        yield from ((name, link) for link, _, _ in model.all_links())


def compare(file: Path, model: ModelDescription | WorldDescription) -> str | None:
    """How pybullet reads a URDF file otherwise; None where it does not read it."""
    try:
        with silence():
            import pybullet  # noqa: PLC0415 (may not be installed)
    except ImportError:
        return None
    with silence():
        client = pybullet.connect(pybullet.DIRECT)
        pybullet.setAdditionalSearchPath(str(file.parent))
        try:
            body = pybullet.loadURDF(str(file), flags=pybullet.URDF_USE_INERTIA_FROM_FILE)
            joints = [pybullet.getJointInfo(body, n) for n in range(pybullet.getNumJoints(body))]
            base = pybullet.getBodyInfo(body)[0].decode()
            names = {base: -1} | {joint[12].decode(): number for number, joint in enumerate(joints)}
            dynamics = {name: pybullet.getDynamicsInfo(body, n) for name, n in names.items()}
        except pybullet.error:
            return None
        finally:
            pybullet.disconnect(client)
    theirs = {joint[1].decode(): BULLET_TYPES.get(joint[2], "?") for joint in joints}
    ours = {joint.name: joint.type.replace("continuous", "revolute") for joint in model.joints
            if joint.name != "fixed_to_world"}  # fmt: skip
    theirs = {name: kind for name, kind in theirs.items() if name in ours or kind != "fixed"}
    if ours != theirs:
        odd = sorted(set(ours.items()) ^ set(theirs.items()))
        return f"joints {', '.join(f'{name} ({kind})' for name, kind in odd[:3])}"
    for link in model.links:
        if link.inertial is not None and link.name in dynamics:
            found = difference(link, dynamics[link.name])
            if found:
                return found
    return ""


def difference(link: LinkDescription, theirs: tuple) -> str:
    """The first of mass and principal moments in which a link differs."""
    own = link.inertial
    if not np.isclose(own.mass, theirs[0], rtol=1e-3, atol=1e-9):
        return f"mass of {link.name}: {own.mass:g}, pybullet {theirs[0]:g} kg"
    tensor = [[own.ixx, own.ixy, own.ixz], [own.ixy, own.iyy, own.iyz], [own.ixz, own.iyz, own.izz]]
    ours, other = np.linalg.eigvalsh(tensor), np.sort(theirs[2])
    if other.any() and not np.allclose(ours, other, rtol=1e-3, atol=1e-3 * ours.max()):
        return f"inertia of {link.name}: {ours.round(7)}, pybullet {other.round(7)} kg m^2"
    return ""


def compare_boxes(description: ModelDescription | WorldDescription) -> Boxes:
    """Compares with trimesh the boxes of whole mesh files that it reads, too."""
    try:
        import trimesh  # noqa: PLC0415 (may not be installed)
    except ImportError:
        return {}
    models = [description] if isinstance(description, ModelDescription) else description.models
    shapes = [
        part.geometry
        for model in models
        for _, link, _ in model.all_links()
        for part in (*link.collisions, *link.visuals)
    ]
    found: Boxes = {}
    for mesh in shapes:
        if not isinstance(mesh, Mesh) or mesh.submesh:
            continue
        try:
            with silence():
                scene = trimesh.load_scene(mesh.path)
                if mesh.path.suffix.lower() == ".dae":  # the others say nothing about units
                    scene = scene.convert_units("meters")
                theirs = np.sort(scene.bounds * np.asarray(mesh.scale), axis=0)
        except (ImportError, TypeError, ValueError):  # no loader for it, or nothing in it
            continue
        shape = CollisionDescription(name="shape", geometry=mesh)
        link = LinkDescription(name="link", collisions=(shape,))
        ours = Bounds.of(ModelDescription(name="mesh", links=(link,)))
        apart = np.abs([ours.lower, ours.upper] - theirs).max()
        odd = "" if apart < SAME_BOX else f"box of {mesh.path.name}: {apart * 1000:.3g} mm off"
        found[mesh.path, tuple(mesh.scale)] = odd
    return found


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drops what C code writes to the terminal."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        kept = os.dup(1), os.dup(2)
        try:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            yield
        finally:
            for number, before in enumerate(kept, 1):
                os.dup2(before, number)
                os.close(before)


def page(sources: list[Source], command: str) -> str:
    """The page of the results."""
    whole = Source("together", [each for source in sources for each in source.outcomes])
    lines = [HEAD.format(command=command, same=f"{SAME_BOX * 1000:g} mm")]
    lines += [
        "| source | files | runs | of these repaired | as pybullet | meshes as trimesh | parts |"
    ]
    lines += ["|---|---|---|---|---|---|---|"]
    for it in (*sources, whole):
        files, runs, repaired, compared, equal, meshes, same, parts = it.row()
        share = f"{runs} ({runs / max(files, 1):.0%})"
        lines += [
            f"| {it.name} | {files} | {share} | {repaired} | {equal} of {compared} "
            f"| {same} of {meshes} | {parts} |"
        ]
    lines += ["", "## Files that do not run", "", "| source | file | why |", "|---|---|---|"]
    lines += [
        f"| {it.name} | {file} | {cell(outcome.trouble)} |"
        for it in sources
        for file, outcome in it.outcomes
        if outcome.trouble and not outcome.part
    ]
    lines += [
        "",
        "## Files that pybullet or trimesh reads differently",
        "",
        "| source | file | first difference |",
    ]
    lines += ["|---|---|---|"]
    lines += [
        f"| {it.name} | {file} | {cell(outcome.difference)} |"
        for it in sources
        for file, outcome in it.outcomes
        if outcome.difference
    ]
    lines += [
        f"| {it.name} | {file} | {cell(odd)} |"
        for it in sources
        for file, outcome in it.outcomes
        for odd in outcome.boxes.values()
        if odd
    ]
    lines += ["", "## Repairs", "", "| files | repair |", "|---|---|"]
    repairs = Counter(repair for _, outcome in whole.outcomes for repair in outcome.repairs)
    lines += [f"| {count} | {cell(repair)} |" for repair, count in repairs.most_common()]
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    """A text as the cell of a table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
