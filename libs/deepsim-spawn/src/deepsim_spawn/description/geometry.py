# SPDX-License-Identifier: Apache-2.0
"""Shapes of collisions and visuals, centred on their own frames; lengths in metres."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from deepsim_math import Vector3

from .checks import direction, positive, round_sides, sides, trimmed, vector
from .polyline import Polyline
from .sdf_paths import sdf

_PICTURES = {".png", ".jpg", ".jpeg"}


@dataclass(frozen=True, slots=True)
class Box:
    """A box aligned with the axes of its frame.

    >>> Box((1, 2, 0.5)).size
    Vector3(1.0, 2.0, 0.5)

    Attributes:
        size: Full lengths along x, y, z [m], each > 0; accepts any three numbers.
    """

    size: Vector3 = field(metadata=sdf("size"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", vector("box size", self.size))
        sides("box size [m]", *self.size)


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball with a radius > 0 [m].

    >>> CollisionDescription("ball", Sphere(0.11)).geometry
    Sphere(radius=0.11)
    """

    radius: float = field(metadata=sdf("radius"))

    def __post_init__(self) -> None:
        sides("sphere radius [m]", self.radius)


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder along z, with radius and full length > 0 [m].

    >>> CollisionDescription("wheel", Cylinder(radius=0.3, length=0.1)).geometry
    Cylinder(radius=0.3, length=0.1)
    """

    radius: float = field(metadata=sdf("radius"))
    length: float = field(metadata=sdf("length"))

    def __post_init__(self) -> None:
        round_sides("cylinder", self.radius, self.length)


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder along z with hemispherical ends.

    >>> CollisionDescription("finger", Capsule(radius=0.01, length=0.04)).geometry
    Capsule(radius=0.01, length=0.04)

    Attributes:
        radius: Radius of the cylinder and its ends [m].
        length: Length of the cylinder alone [m], without the ends.
    """

    radius: float = field(metadata=sdf("radius"))
    length: float = field(metadata=sdf("length"))

    def __post_init__(self) -> None:
        round_sides("capsule", self.radius, self.length)


@dataclass(frozen=True, slots=True)
class Cone:
    """A cone along z, tip up, centred at half its length; radius and full length > 0 [m].

    >>> VisualDescription("hat", Cone(radius=0.2, length=0.5)).geometry
    Cone(radius=0.2, length=0.5)
    """

    radius: float = field(metadata=sdf("radius"))
    length: float = field(metadata=sdf("length"))

    def __post_init__(self) -> None:
        round_sides("cone", self.radius, self.length)


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """An ellipsoid aligned with the axes of its frame.

    >>> Ellipsoid((0.3, 0.2, 0.1)).radii
    Vector3(0.3, 0.2, 0.1)

    Attributes:
        radii: Half lengths along x, y, z [m], each > 0; accepts any three numbers.
    """

    radii: Vector3 = field(metadata=sdf("radii"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", vector("ellipsoid radii", self.radii))
        sides("ellipsoid radii [m]", *self.radii)


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane through the origin of its frame; a half space for collisions, drawn as a rectangle.

    >>> Plane(normal=(0, 0, 2)).normal
    Vector3(0.0, 0.0, 1.0)

    Attributes:
        normal: Direction out of the ground; normalised.
        size: Sides of the visible rectangle [m, m]; collisions are infinite.
    """

    normal: Vector3 = field(default=Vector3(0.0, 0.0, 1.0), metadata=sdf("normal"))
    size: tuple[float, float] = field(default=(1.0, 1.0), metadata=sdf("size"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", direction("plane normal", self.normal))
        positive("plane size [m]", *self.size)


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh in a file.

    >>> from pathlib import Path
    >>> VisualDescription("hull", Mesh(Path("boat.stl"), scale=(0.01,) * 3)).geometry.scale
    Vector3(0.01, 0.01, 0.01)

    Attributes:
        path: An existing file, absolute after loading.
        scale: Non-zero factors along x, y, z in the mesh's frame; negative ones mirror.
        submesh: Name of the part to use; empty for the whole file.
        center: Whether the bounding box of the submesh is centred on the frame; as in SDF, only
            possible with a submesh.
    """

    path: Path
    scale: Vector3 = field(default=Vector3(1.0, 1.0, 1.0))
    submesh: str = ""
    center: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", vector("mesh scale", self.scale))
        if 0.0 in tuple(self.scale):
            raise ValueError(f"mesh scale must not be 0, got {tuple(self.scale)}")
        trimmed("mesh submesh", self.submesh)
        if self.center and not self.submesh:
            raise ValueError("mesh center needs a submesh: a whole file stays in place")


@dataclass(frozen=True, slots=True)
class Heightmap:
    """A landscape whose heights come from a picture's pixels or an elevation model.

    >>> from pathlib import Path
    >>> dunes = Heightmap(Path("dunes.png"), size=(100, 100, 8))
    >>> dunes.is_picture
    True

    Attributes:
        path: An existing file, absolute after loading.
        size: Lengths along x and y, and height of the brightest pixel [m], each > 0.
        position: Centre of the landscape's ground in the shape's frame [m].
    """

    path: Path
    size: Vector3 = field(default=Vector3(1.0, 1.0, 1.0), metadata=sdf("size"))
    position: Vector3 = field(default=Vector3(0.0, 0.0, 0.0), metadata=sdf("pos"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", vector("heightmap size", self.size))
        object.__setattr__(self, "position", vector("heightmap position", self.position))
        positive("heightmap size [m]", *self.size)

    @property
    def is_picture(self) -> bool:
        """Whether the file has a suffix of PNG or JPEG; other files are elevation models (DEM)."""
        return self.path.suffix.lower() in _PICTURES


Geometry: TypeAlias = (
    Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Plane | Mesh | Polyline | Heightmap
)
"""Any shape of a collision or visual."""
