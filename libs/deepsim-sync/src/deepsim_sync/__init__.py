# SPDX-License-Identifier: Apache-2.0
"""The simulator port, its tables, trackers, transforms and behaviours.

Models, links, joints, visuals and lights are rows of tables with an axis for worlds. A tick reads
the rows in one call, runs the behaviours, and writes the changed rows back in one call.
"""

from .behaviours.behaviour import (
    Behaviour,
    NeverSpawnedWarning,
    Spawner,
    plain_attributes,
    restore_attributes,
)
from .behaviours.manager import BehaviourManager
from .behaviours.transform import LinkTransform, Transform
from .current import PerWorld
from .errors import (
    CallbackError,
    ClosedWorldError,
    DeepSimError,
    DuplicateEntityError,
    NoCurrentWorldError,
    SimulationError,
    SpawnError,
    UnknownEntityError,
    UnsupportedError,
    WriteRefusedError,
    WrongThreadError,
    call_all,
)
from .port.cameras import (
    CameraMount,
    CameraMounts,
    Cameras,
    CameraView,
    DepthCameras,
    DepthPicture,
    StereoPicture,
    stereo_depth,
)
from .port.capabilities import (
    ContactPoints,
    Contacts,
    Dynamics,
    PoseSolver,
    Snapshots,
    SolvingDynamics,
)
from .port.changes import Cells, Changes, Refusal
from .port.column import Column, square_sum
from .port.entities import KINDS, SCOPE, Entities, Kind, Names
from .port.physics_properties import (
    CAN_BE_ZERO,
    PHYSICS_PROPERTIES,
    PhysicsProperties,
    PhysicsProperty,
    check_property,
    checked_factors,
)
from .port.sensors import (
    QUANTITIES,
    SENSOR_KINDS,
    Noise,
    Reading,
    SensorInfo,
    SensorKind,
    Sensors,
    SensorsTogether,
)
from .port.simulator import Seeds, Simulator, WorldNumbers
from .port.spawning import Descriptions, SpawnRequest, checked_requests
from .port.tables import (
    ALL_COLUMNS,
    APPEARANCE_COLUMNS,
    COLUMNS,
    RESET_COLUMNS,
    STATE_COLUMNS,
    Key,
    LightTable,
    StateTable,
    Tables,
    VisualTable,
)
from .state.rows import (
    ActuatorRows,
    JointRows,
    LightRows,
    LinkRows,
    Rows,
    StateRows,
    VisualRows,
)
from .state.seeds import checked_worlds, world_seeds
from .trackers.manager import Priority, Tracker, TrackerManager
from .trackers.states import (
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    LinkState,
    ModelState,
    SetLinkStateTracker,
    SetModelStateTracker,
    SetVisualTracker,
    Visual,
)
from .world.sensor import Sensor
from .world.sensors import SensorRows, WorldSensors
from .world.world import World
from .world.world_state import WorldState

__all__ = [
    "ALL_COLUMNS",
    "ActuatorRows",
    "APPEARANCE_COLUMNS",
    "CAN_BE_ZERO",
    "COLUMNS",
    "KINDS",
    "PHYSICS_PROPERTIES",
    "QUANTITIES",
    "RESET_COLUMNS",
    "SCOPE",
    "SENSOR_KINDS",
    "STATE_COLUMNS",
    "Behaviour",
    "BehaviourManager",
    "CallbackError",
    "CameraMount",
    "CameraMounts",
    "CameraView",
    "Cameras",
    "Cells",
    "Changes",
    "ClosedWorldError",
    "Column",
    "ContactPoints",
    "Contacts",
    "DeepSimError",
    "DepthCameras",
    "DepthPicture",
    "Descriptions",
    "DuplicateEntityError",
    "Dynamics",
    "Entities",
    "GetLinkStateTracker",
    "GetModelStateTracker",
    "GetVisualTracker",
    "JointRows",
    "Key",
    "Kind",
    "LightRows",
    "LightTable",
    "LinkRows",
    "LinkState",
    "LinkTransform",
    "ModelState",
    "Names",
    "NeverSpawnedWarning",
    "NoCurrentWorldError",
    "Noise",
    "PerWorld",
    "PhysicsProperties",
    "PhysicsProperty",
    "PoseSolver",
    "Priority",
    "Reading",
    "Refusal",
    "Rows",
    "Seeds",
    "Sensor",
    "SensorInfo",
    "SensorKind",
    "SensorRows",
    "Sensors",
    "SensorsTogether",
    "SetLinkStateTracker",
    "SetModelStateTracker",
    "SetVisualTracker",
    "SimulationError",
    "Simulator",
    "Snapshots",
    "SolvingDynamics",
    "SpawnError",
    "SpawnRequest",
    "Spawner",
    "StateRows",
    "StateTable",
    "StereoPicture",
    "Tables",
    "Tracker",
    "TrackerManager",
    "Transform",
    "UnknownEntityError",
    "UnsupportedError",
    "Visual",
    "VisualRows",
    "VisualTable",
    "World",
    "WorldNumbers",
    "WorldSensors",
    "WorldState",
    "WriteRefusedError",
    "WrongThreadError",
    "call_all",
    "check_property",
    "checked_factors",
    "checked_requests",
    "checked_worlds",
    "plain_attributes",
    "restore_attributes",
    "square_sum",
    "stereo_depth",
    "world_seeds",
]
