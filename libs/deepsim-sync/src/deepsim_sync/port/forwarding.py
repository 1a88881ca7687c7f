# SPDX-License-Identifier: Apache-2.0
"""The methods of all capabilities in one table, and capabilities that forward them.

An engine implements a capability once. A client of another process, or a group of servers, gives
one function that calls any of these methods, a `Forward`, to `ForwardedCameras` and so on.
Snapshots and the solvers of inverse kinematics are not in the table, because their values may have
any type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterable, Literal, Mapping, Protocol, Sequence, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.errors import UnsupportedError

from .cameras import CameraMount, CameraView, DepthPicture
from .capabilities import ContactPoints
from .physics_properties import PhysicsProperty, checked_factors
from .sensors import Reading, SensorInfo
from .simulator import Simulator, WorldNumbers

T = TypeVar("T")

Scope = Literal["one", "some", "each", "all"]
"""The worlds of a method: the argument ``world``, those of the argument ``worlds`` (None for all),
each world with a row of the result, or all worlds at once because they are alike."""


@dataclass(frozen=True)
class Method(Generic[T]):
    """A method or property of a capability.

    >>> READ_CONTACTS.key, READ_CONTACTS.scope
    ('contacts.read', 'one')

    Attributes:
        capability: The property of the simulator that holds the capability.
        name: Name of the method.
        scope: The worlds that it is for.
        result: Type of the result: None, an array, a dict of arrays, a named tuple of arrays, a
            camera or mount; `SensorInfo` for a mapping of them, and str for a tuple of names.
        rows: Arguments with one row per world.
        changes: Whether it changes the simulator.
    """

    capability: str
    name: str
    scope: Scope
    result: Any
    rows: tuple[str, ...] = ()
    changes: bool = False

    @property
    def key(self) -> str:
        """The name with its capability, such as ``cameras.render``."""
        return f"{self.capability}.{self.name}"

    def of(self, simulator: Simulator, **arguments: Any) -> T:
        """Calls the method of a simulator, or reads its property.

        Raises:
            UnsupportedError: The simulator lacks the capability.
        """
        capability = getattr(simulator, self.capability)
        if capability is None:
            raise UnsupportedError(f"the simulator has no capability {self.capability!r}")
        found = getattr(capability, self.name)
        result: T = found(**arguments) if callable(found) else found
        return result


CAMERA_NAMES: Method[tuple[str, ...]] = Method("cameras", "names", "all", str)
RENDER: Method[NDArray[np.uint8]] = Method("cameras", "render", "one", np.ndarray)
VIEW: Method[CameraView] = Method("depth_cameras", "view", "one", CameraView)
MEASURE: Method[DepthPicture] = Method("depth_cameras", "measure", "one", DepthPicture)
GET_MOUNT: Method[CameraMount] = Method("camera_mounts", "get", "one", CameraMount)
DESCRIBED_MOUNT: Method[CameraMount] = Method("camera_mounts", "described", "all", CameraMount)
SET_MOUNT: Method[None] = Method("camera_mounts", "set", "some", None, changes=True)
READ_CONTACTS: Method[ContactPoints] = Method("contacts", "read", "one", ContactPoints)
JACOBIAN: Method[NDArray[np.float64]] = Method(
    "dynamics", "jacobian", "each", np.ndarray, ("point",)
)
BIAS_FORCES: Method[NDArray[np.float64]] = Method("dynamics", "bias_forces", "each", np.ndarray)
SENSOR_INFOS: Method[Mapping[str, SensorInfo]] = Method("sensors", "infos", "all", SensorInfo)
WATCH: Method[None] = Method("sensors", "watch", "each", None)
READ_SENSOR: Method[Reading] = Method("sensors", "read", "each", dict)
FACTORS: Method[NDArray[np.float64]] = Method("physics", "factors", "each", np.ndarray)
SCALE: Method[None] = Method("physics", "scale", "some", None, ("factors",), changes=True)

METHODS: Mapping[str, Method[Any]] = {
    each.key: each
    for each in (
        CAMERA_NAMES, RENDER, VIEW, MEASURE, GET_MOUNT, DESCRIBED_MOUNT, SET_MOUNT, READ_CONTACTS,
        JACOBIAN, BIAS_FORCES, SENSOR_INFOS, WATCH, READ_SENSOR, FACTORS, SCALE,
    )
}  # fmt: skip
"""All methods by `Method.key`."""
CAPABILITIES = tuple(dict.fromkeys(each.capability for each in METHODS.values()))
"""The capabilities that can be forwarded."""


class Forward(Protocol):
    """Function that calls a method of a capability somewhere else, and returns its result."""

    def __call__(self, method: Method[T], /, **arguments: Any) -> T:
        """Calls a method; an argument ``worlds`` is None or an array, one of `rows` an array."""
        ...


class ForwardedCameras:
    """Forwards `deepsim_sync.Cameras` and `deepsim_sync.DepthCameras`."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        return self._forward(CAMERA_NAMES)

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture of one world, (height, width, 3) RGB."""
        return self._forward(RENDER, camera=camera, world=world)

    def view(self, camera: str, world: int = 0) -> CameraView:
        """Returns the present pose and lens of a camera sensor in one world."""
        return self._forward(VIEW, camera=camera, world=world)

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Measures depths and identifies models and links, in one world."""
        return self._forward(MEASURE, camera=camera, world=world)


class ForwardedMounts:
    """Forwards `deepsim_sync.CameraMounts`."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the present mount of a camera sensor in one world."""
        return self._forward(GET_MOUNT, camera=camera, world=world)

    def described(self, camera: str) -> CameraMount:
        """Returns the mount in the model's description."""
        return self._forward(DESCRIBED_MOUNT, camera=camera)

    def set(self, camera: str, mount: CameraMount, worlds: WorldNumbers | None = None) -> None:
        """Sets the mount of a camera sensor in some worlds."""
        self._forward(SET_MOUNT, camera=camera, mount=mount.checked(camera), worlds=worlds)


class ForwardedContacts:
    """Forwards `deepsim_sync.Contacts`."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points of one world at the present instant."""
        return self._forward(READ_CONTACTS, world=world)


class ForwardedDynamics:
    """Forwards `deepsim_sync.Dynamics`, for W worlds."""

    def __init__(self, forward: Forward, worlds: int) -> None:
        self._forward, self._worlds = forward, worlds

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> NDArray[np.float64]:
        """Returns the Jacobian of a point of a link for k joints, (W, 6, k)."""
        given, shape = np.asarray(point, dtype=np.float64), (self._worlds, 3)
        if given.shape not in ((3,), shape):
            raise ValueError(f"point must have shape (3,) or {shape}, got {given.shape}")
        points = np.broadcast_to(given, shape)
        return self._forward(JACOBIAN, link=link, joints=list(joints), point=points)

    def bias_forces(self, joints: Sequence[str]) -> NDArray[np.float64]:
        """Returns the efforts that balance gravity, centrifugal and Coriolis forces, (W, k)."""
        return self._forward(BIAS_FORCES, joints=list(joints))


class ForwardedSensors:
    """Forwards `deepsim_sync.Sensors`.

    Args:
        forward: Calls the methods.
        generation: Returns the present generation of the entities; the sensors are listed again
            when it changes.
    """

    def __init__(self, forward: Forward, generation: Callable[[], int]) -> None:
        self._forward, self._generation = forward, generation
        self._known: tuple[int, Mapping[str, SensorInfo]] | None = None

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """All sensors by their names ``model::link::sensor``."""
        if self._known is None or self._known[0] != self._generation():
            infos = self._forward(SENSOR_INFOS)
            self._known = self._generation(), infos  # the call may have updated the entities
        return self._known[1]

    def watch(self, name: str) -> None:
        """Starts a sensor, which measures from the next step on."""
        self._forward(WATCH, name=name)

    def read(self, name: str) -> Reading:
        """Returns the present measurement of a sensor, (W, ...)."""
        return self._forward(READ_SENSOR, name=name)


class ForwardedPhysics:
    """Forwards `deepsim_sync.PhysicsProperties`, for W worlds."""

    def __init__(self, forward: Forward, worlds: int) -> None:
        self._forward, self._worlds = forward, worlds

    def factors(self, name: PhysicsProperty) -> NDArray[np.float64]:
        """Returns the factors of one property of all n links, (W, n)."""
        return self._forward(FACTORS, name=name)

    def scale(
        self,
        name: PhysicsProperty,
        links: Iterable[str],
        factors: ArrayLike,
        worlds: WorldNumbers | None = None,
    ) -> None:
        """Sets the factors of one property of some links, in some worlds."""
        chosen, count = list(links), self._worlds if worlds is None else len(worlds)
        values = checked_factors(name, chosen, factors, count)
        self._forward(SCALE, name=name, links=chosen, factors=values, worlds=worlds)
