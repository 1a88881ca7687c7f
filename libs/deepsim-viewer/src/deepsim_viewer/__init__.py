# SPDX-License-Identifier: Apache-2.0
"""A live view of a world in the browser, with controls and recordings."""

from .control import Clock
from .environment_viewer import Drivable, EnvironmentViewer, RobotViewer, SlotPolicy
from .recording.episodes import EpisodeRecorder
from .recording.recorded_run import Divergence, RecordedRun
from .recording.recording import Recording, RecordingError
from .recording.world_recorder import FrameEncoder, WorldRecorder
from .replay_viewer import Replayable, ReplayViewer, recording_page
from .viewer import Viewer

__all__ = [
    "Clock",
    "Divergence",
    "Drivable",
    "EnvironmentViewer",
    "EpisodeRecorder",
    "FrameEncoder",
    "RecordedRun",
    "Recording",
    "RecordingError",
    "ReplayViewer",
    "Replayable",
    "RobotViewer",
    "SlotPolicy",
    "Viewer",
    "WorldRecorder",
    "recording_page",
]
