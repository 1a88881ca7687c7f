# SPDX-License-Identifier: Apache-2.0
"""RobotLab's simulator: loads a tree of entities into n scenes, and steps them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.config import Source
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
from deepsim_sync import DeepSimError, Simulator, SpawnRequest, World

from .body import Body
from .camera import CameraConfig, LabCamera
from .entity import Composite, Elements, Entity, not_loaded
from .lab_robot import LabRobot


@dataclass(frozen=True)
class GPUEngineConfig:
    """The settings of an engine on a GPU, such as `deepsim_warp.WarpSimulator`.

    Attributes:
        device: Name of the device; None for the first GPU.
        contacts: Number of contacts to make room for in each scene; None for the engine's default.
        constraints: Number of rows of constraints to make room for in each scene; likewise.
    """

    device: str | None = None
    contacts: int | None = None
    constraints: int | None = None


@dataclass(frozen=True)
class SimulatorConfig:
    """The settings of the scenes.

    >>> SimulatorConfig(n_scenes=200, sim_freq=500, control_freq=50).gravity
    (0.0, 0.0, -9.81)

    Attributes:
        sim_freq: Physics steps per simulated second [Hz].
        control_freq: Actions per simulated second [Hz]; should divide `sim_freq`.
        n_scenes: Number of scenes.
        gravity: Acceleration of gravity, in the world frame [m/s²].
        friction: Friction coefficient of the ground.
        seed: Seed of the random generators; scene i has ``seed + i``.
        gpu: Settings that are passed to the engine, which must take them; None for none.

    Raises:
        ValueError: A value is invalid.
    """

    sim_freq: int = 500
    control_freq: int = 20
    n_scenes: int = 1
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    friction: float = 0.5
    seed: int = 0
    gpu: GPUEngineConfig | None = None

    def __post_init__(self) -> None:
        for name in ("sim_freq", "control_freq", "n_scenes"):
            value = getattr(self, name)
            if value < 1 or value != int(value):
                raise ValueError(f"{name} must be an integer >= 1, got {value!r}")
        if np.shape(self.gravity) != (3,) or not np.isfinite(self.gravity).all():
            raise ValueError(f"gravity must be three numbers [m/s²], got {self.gravity!r}")
        for name in ("friction", "seed"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be >= 0, got {getattr(self, name)!r}")
        if self.sim_freq % self.control_freq:
            warnings.warn(
                f"sim_freq {self.sim_freq} is not a multiple of control_freq {self.control_freq}: "
                f"an action lasts {self.sim_freq // self.control_freq} steps",
                stacklevel=3,
            )


class Scene:
    """The scene that is currently being loaded.

    Args:
        lab: The simulator.
        index: Number of the scene.
    """

    def __init__(self, lab: LabSimulator, index: int) -> None:
        self._lab = lab
        self.index = index

    def add(self, name: str, source: Source, pose: ArrayLike | None = None) -> Body:
        """Adds a model, which must be the same in every scene, and returns its handle.

        Args:
            name: Unique name of the model, the same in every scene.
            source: Source as for `ModelSpawner`.
            pose: Pose in this scene; by default from the description.
        """
        return self._lab.take(name, source, pose)

    def add_robot(self, entity: LabRobot, pose: ArrayLike | None) -> Body:
        """Adds the model of a robot; called by `LabRobot`."""
        return self._lab.take(entity.path, entity, pose)


class LabSimulator:
    """Simulates n scenes with the same entities, as the worlds of one `World`.

    >>> robot = LabRobot(find_robot("arm").load())
    >>> lab = LabSimulator(MujocoSimulator, SimulatorConfig(n_scenes=3), robot)
    >>> lab.reset()
    >>> lab.step(np.zeros((3, 7)))
    >>> lab.find("robot/tool").get_pose().shape
    (3, 7)

    Args:
        engine: Function that makes a simulator from a world description and the argument
            ``worlds``, and from those of `GPUEngineConfig` if the configuration has one.
        config: Settings of the scenes.
        robot: The entity ``robot``, or None.
        elements: All other entities by name.
        add_ground: Whether to add a plane at z = 0.
        cameras: The places and lenses of cameras by name.

    Attributes:
        elements: Root of the tree of entities.
        world: The worlds, after the first `reset`.
        scene: The scene that is currently being loaded.
    """

    world: World = not_loaded()
    scene: Scene = not_loaded()

    def __init__(
        self,
        engine: Callable[..., Simulator],
        config: SimulatorConfig | None = None,
        robot: LabRobot | None = None,
        elements: Elements | None = None,
        add_ground: bool = True,
        cameras: Mapping[str, CameraConfig] | None = None,
    ) -> None:
        self.config = config if config is not None else SimulatorConfig()
        self.robot = robot
        every: dict[str, Any] = {} if robot is None else {"robot": robot}
        if robot is not None and elements is not None and "robot" in elements:
            raise ValueError("the element 'robot' is the argument robot: rename the other one")
        self.elements = Composite({**every, **(elements or {})})
        self._cameras = {name: LabCamera(self, each) for name, each in (cameras or {}).items()}
        self._engine = engine
        self._ground = add_ground
        self._bodies: dict[str, tuple[Body, Source | LabRobot, Any]] = {}
        self._open = False
        self.loading: int | None = None
        list(self.elements.tree())  # errors before the first reset name paths

    def reset(self) -> None:
        """Closes existing scenes, creates all scenes, and loads all entities into each.

        Raises:
            DeepSimError: The objects of two scenes, or their order, differ.
        """
        self.close()
        self._bodies = {}
        self.elements.clear()
        entities = list({id(entity): entity for entity in self.elements.tree()}.values())
        first: list[str] = []
        try:
            for index in range(self.config.n_scenes):
                self.loading = index
                self.scene = Scene(self, index)
                for entity in entities:
                    entity._load(self)
                names = [body.name for each in entities for body in each._get_sapien_entities()]
                first = first if index else names
                if names != first:
                    raise DeepSimError(f"scene {index} has objects {names}, scene 0 has {first}")
        finally:
            self.loading = None
        self._create()

    def add(self, name: str, element: Entity) -> None:
        """Adds an entity to all scenes after a reset; the next reset loads it, too.

        Raises:
            ValueError: There is an entity of this name already, or it is a robot.
            DeepSimError: There are no scenes yet.
        """
        if not self._open:
            raise DeepSimError("there are no scenes yet: call reset, or give elements")
        if name in self.elements.__children__ or isinstance(element, LabRobot):
            raise ValueError(
                f"{name!r} is an entity already, or a robot, which is there from reset"
            )
        before = dict(self._bodies)
        try:
            for index in range(self.config.n_scenes):
                self.loading, self.scene = index, Scene(self, index)
                for entity in element.tree(name):
                    entity._load(self)
            self.loading = None
            new = [each for each in self._bodies if each not in before]
            self._spawn(new)
        except BaseException:
            self.loading, self._bodies = None, before
            raise
        for each in new:
            self._bodies[each][0].apply()
        self.world.flush()
        self.elements.__children__[name] = element

    def get_sensor(self) -> dict[str, LabCamera]:
        """Returns the cameras by name."""
        return dict(self._cameras)

    def get_observation(self) -> dict[str, dict[str, Any]]:
        """Returns a picture of each camera by name; see `LabCamera.take_picture`."""
        return {name: camera.take_picture() for name, camera in self._cameras.items()}

    def take(self, name: str, source: Source | LabRobot, pose: ArrayLike | None) -> Body:
        """Records a model of the current scene; called by `Scene.add`."""
        if self.loading is None:
            raise DeepSimError("objects are added while scenes are loaded, by `_load`")
        if name not in self._bodies:
            if self.loading:
                raise DeepSimError(f"scene {self.loading} has an object {name!r}, but scene 0 not")
            self._bodies[name] = Body(self, name), source, pose
        body = self._bodies[name][0]
        if pose is not None:
            body.set_pose(pose)
        return body

    def _create(self) -> None:
        """Creates the worlds with all loaded models and robots."""
        config = self.config
        gravity = " ".join(map(repr, config.gravity))
        description = GazeboXMLLoader().load_world(
            f'<sdf version="1.7"><world name="lab"><gravity>{gravity}</gravity><physics type="ode">'
            f"<max_step_size>{1.0 / config.sim_freq!r}</max_step_size></physics>"
            f"{_GROUND.format(mu=config.friction) if self._ground else ''}</world></sdf>"
        )
        options = {} if config.gpu is None else asdict(config.gpu)
        simulator = self._engine(description, worlds=config.n_scenes, **options)
        self.world = World(simulator, seed=config.seed)
        self._open = True
        self._spawn([*self._bodies])
        for body, source, pose in self._bodies.values():
            if isinstance(source, LabRobot):
                source.assemble(self, body.spawn_poses(pose if pose is not None else _ORIGIN))
        for body, _, _ in self._bodies.values():
            body.apply()
        self.world.flush()

    def _spawn(self, names: list[str]) -> None:
        """Adds loaded models that are not robots to the worlds."""
        requests = []
        for name in names:
            body, source, _ = self._bodies[name]
            if not isinstance(source, LabRobot):
                model: Any = ModelSpawner(source).description if source is not None else None
                requests.append(SpawnRequest(model, name, body.spawn_poses(model.pose)))
        self.world.spawn_many(requests)

    def step(self, action: ArrayLike | None = None) -> None:
        """Applies an action to the robot, and advances by ``sim_freq // control_freq`` steps."""
        if not self._open:
            raise DeepSimError("there are no scenes yet: call reset")
        if action is not None:
            if self.robot is None:
                raise DeepSimError("there is no robot to take an action")
            self.robot.set_action(action)
        for _ in range(self.config.sim_freq // self.config.control_freq):
            self.elements.before_simulation_step()
            self.world.tick()

    def find(self, path: str) -> Any:
        """Returns an entity or link by path; see `Entity.find`."""
        return self.elements.find(path)

    def close(self) -> None:
        """Closes the worlds."""
        if self._open:
            self.world.close()
            self._open = False


_ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
_GROUND = (
    '<model name="ground"><static>true</static><link name="link"><collision name="plane"><geometry>'
    "<plane><normal>0 0 1</normal><size>100 100</size></plane></geometry><surface><friction><ode>"
    "<mu>{mu}</mu><mu2>{mu}</mu2></ode></friction></surface></collision></link></model>"
)
