# SPDX-License-Identifier: Apache-2.0
"""The simulator port, its tables, trackers, transforms and behaviours.

A world is a table: models, links, visuals and lights are rows. A tick reads all rows in one call,
runs the behaviours, and writes back the rows that changed in one call.
"""

from .behaviour import Behaviour, Spawner
from .behaviour_manager import BehaviourManager
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
from .simulator import Simulator
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

__all__ = [
    "COLUMNS",
    "KINDS",
    "SCOPE",
    "Behaviour",
    "BehaviourManager",
    "CallbackError",
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
    "ModelState",
    "Names",
    "NoCurrentWorldError",
    "PerWorld",
    "Priority",
    "Refusal",
    "SetLinkStateTracker",
    "SetModelStateTracker",
    "SetVisualTracker",
    "SimulationError",
    "Simulator",
    "SpawnError",
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
    "WriteRefusedError",
]
