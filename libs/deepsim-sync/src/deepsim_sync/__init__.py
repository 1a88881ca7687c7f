# SPDX-License-Identifier: Apache-2.0
"""The simulator port, its tables, trackers, transforms and behaviours.

A world is a table: models, links, visuals and lights are rows. A tick reads all rows in one call,
runs the behaviours, and writes back the rows that changed in one call.
"""

from .attributes import plain_attributes, restore_attributes
from .batch_spawning import BatchSpawning, SpawnRequest
from .behaviour import Behaviour, Spawner
from .behaviour_manager import BehaviourManager
from .callbacks import call_all, called
from .camera_mounts import CameraMount, CameraMounts
from .cameras import Cameras, CameraView
from .changes import Cells, Changes, Refusal
from .current import PerWorld
from .entities import KINDS, SCOPE, Entities, Kind, Names
from .errors import (
    CallbackError,
    DeepSimError,
    DuplicateEntityError,
    NoCurrentWorldError,
    SimulationError,
    SpawnError,
    UnknownEntityError,
    UnsupportedError,
    WriteRefusedError,
)
from .many_worlds import ManyWorlds, SimulatorBatch
from .physics_properties import PHYSICS_PROPERTIES, PhysicsProperties, PhysicsProperty
from .simulator import Simulator
from .simulators_in_turn import SimulatorsInTurn
from .snapshots import Snapshots, WorldState
from .states import LinkState, ModelState, Visual
from .tables import COLUMNS, LightTable, StateTable, Tables, VisualTable
from .trackers import (
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    Priority,
    SetLinkStateTracker,
    SetModelStateTracker,
    SetVisualTracker,
    Tracker,
    TrackerManager,
)
from .transform import LinkTransform, Transform
from .world import World
from .worlds import Worlds, WorldsState

__all__ = [
    "COLUMNS",
    "KINDS",
    "PHYSICS_PROPERTIES",
    "SCOPE",
    "BatchSpawning",
    "Behaviour",
    "BehaviourManager",
    "CallbackError",
    "CameraMount",
    "CameraMounts",
    "CameraView",
    "Cameras",
    "Cells",
    "Changes",
    "DeepSimError",
    "DuplicateEntityError",
    "Entities",
    "GetLinkStateTracker",
    "GetModelStateTracker",
    "GetVisualTracker",
    "Kind",
    "LightTable",
    "LinkState",
    "LinkTransform",
    "ManyWorlds",
    "ModelState",
    "Names",
    "NoCurrentWorldError",
    "PerWorld",
    "PhysicsProperties",
    "PhysicsProperty",
    "Priority",
    "Refusal",
    "SetLinkStateTracker",
    "SetModelStateTracker",
    "SetVisualTracker",
    "SimulationError",
    "Simulator",
    "SimulatorBatch",
    "SimulatorsInTurn",
    "Snapshots",
    "SpawnError",
    "SpawnRequest",
    "Spawner",
    "StateTable",
    "Tables",
    "Tracker",
    "TrackerManager",
    "Transform",
    "UnknownEntityError",
    "UnsupportedError",
    "Visual",
    "VisualTable",
    "World",
    "WorldState",
    "Worlds",
    "WorldsState",
    "WriteRefusedError",
    "call_all",
    "called",
    "plain_attributes",
    "restore_attributes",
]
