# SPDX-License-Identifier: Apache-2.0
"""Pictures and depths from a gzserver that renders, and the mounts of its camera sensors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deepsim_gazebo.errors import CallRefusedError
from deepsim_gazebo.protocol.client import Shot
from deepsim_gazebo.session import Session, check_world, is_chosen
from deepsim_math import Pose
from deepsim_sync import (
    SCOPE,
    CameraMount,
    CameraView,
    DepthPicture,
    Reading,
    UnknownEntityError,
    WorldNumbers,
    stereo_depth,
)


class GazeboMounts:
    """Mounts of camera sensors: their lenses and poses on links; see `deepsim_sync.CameraMounts`.

    A mount applies to this client only: the client's pictures are taken from it, and Gazebo's own
    camera sensors stay as described.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._mounts: dict[str, CameraMount] = {}

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the present mount of a camera sensor."""
        check_world(world)
        return self.changed(camera) or self.described(camera)

    def described(self, camera: str) -> CameraMount:
        """Returns the mount in the model's description."""
        self.check(camera)
        self._session.take_control()
        shot = self._session.client.look(camera, rgb=False)
        return CameraMount(shot.mount, shot.view.horizontal_fov)

    def set(self, camera: str, mount: CameraMount, worlds: WorldNumbers | None = None) -> None:
        """Sets the mount of a camera sensor, until its model is removed or the world is reset."""
        self.check(camera)
        checked = mount.checked(camera)
        if is_chosen(worlds):
            self._mounts[camera] = checked

    def changed(self, camera: str) -> CameraMount | None:
        """Returns the mount of a camera sensor, or None if it is as described."""
        return self._mounts.get(camera)

    def reset(self) -> None:
        """Restores the described mounts of all cameras."""
        self._mounts.clear()

    def forget(self, model: str) -> None:
        """Forgets the cameras of a model that was removed."""
        own = [camera for camera in self._mounts if camera.startswith(f"{model}::")]
        for camera in own:
            del self._mounts[camera]

    def check(self, camera: str) -> None:
        """Checks that a camera sensor has the name.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        if camera not in self._session.names.present.cameras:
            raise UnknownEntityError("camera", camera, self._session.names.present.cameras)


class GazeboCameras:
    """The cameras of a gzserver that found a display when it started.

    The object serves as both capabilities, `deepsim_sync.Cameras` and `DepthCameras`.
    Pictures show the present instant, or in a free-running world the end of a step. A picture has
    at most 4096 pixels a side, and at most 64 MB.

    >>> from deepsim_gazebo import GazeboSimulator
    >>> def picture(simulator: GazeboSimulator, camera: str):
    ...     return None if simulator.cameras is None else simulator.cameras.render(camera)
    """

    def __init__(self, session: Session, mounts: GazeboMounts) -> None:
        self._session, self._mounts = session, mounts

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``, as of the server's last answer."""
        return self._session.names.present.cameras

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture, (height, width, 3) RGB, as a new array.

        Raises:
            CallRefusedError: The server cannot take the picture; the message says why.
        """
        check_world(world)
        return self._look(camera).rgb

    def view(self, camera: str, world: int = 0) -> CameraView:
        """Returns the present pose and lens of a camera sensor, as a free camera."""
        check_world(world)
        return self._look(camera, rgb=False).view

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Measures depths and identifies models and links, in single precision.

        Everything that is drawn counts, translucent surfaces too. Heightmaps have depths but no
        rows, because Gazebo does not say to which link they belong.

        Raises:
            CallRefusedError: The server cannot take the picture; the message says why.
        """
        check_world(world)
        return self._depths(self._look(camera, rgb=False, depth=True))

    def rgbd(self, camera: str) -> Reading:
        """Returns the picture and the depths of an RGB-D camera, (1, ...)."""
        shot = self._look(camera, depth=True)
        return {"rgb": shot.rgb[None], "depth": shot.depth[None].astype(np.float64)}

    def stereo(self, camera: str, baseline: float) -> Reading:
        """Returns the measurement of a stereo pair, (1, ...).

        Args:
            camera: Name of the sensor; its picture is taken by the left camera.
            baseline: Distance to the right camera [m].
        """
        left = self._look(camera, depth=True)
        beside = replace(left.view, pose=left.view.pose @ Pose((0.0, -baseline, 0.0)))
        right = self._look(beside, rgb=False, depth=True)
        focal = float(left.view.intrinsic[0, 0])
        pair = stereo_depth(left.depth, right.depth, focal, baseline)
        return {
            "rgb": left.rgb[None],
            "disparity": pair.disparity[None],
            "depth": pair.depth[None],
        }

    def segmentation(self, camera: str) -> Reading:
        """Returns the rows of the models and links that a camera sees, (1, ...)."""
        picture = self.measure(camera)
        return {"models": picture.models[None], "links": picture.links[None]}

    def _depths(self, shot: Shot) -> DepthPicture:
        entities = self._session.names.present.entities
        rows = np.full((2, len(shot.links) + 1), -1, dtype=np.intp)  # the last one is for nothing
        for number, link in enumerate(shot.links):
            if link in entities.links:
                model = link.rpartition(SCOPE)[0]
                rows[:, number] = entities.models.row(model), entities.links.row(link)
        models, links = rows[:, shot.drawn]
        return DepthPicture(shot.depth.astype(np.float64), models, links)

    def _look(self, camera: str | CameraView, *, rgb: bool = True, depth: bool = False) -> Shot:
        self._session.take_control()
        try:
            mount = self._mounts.changed(camera) if isinstance(camera, str) else None
            return self._session.client.look(camera, rgb=rgb, depth=depth, mount=mount)
        except CallRefusedError:
            self._session.names.invalidate()
            if isinstance(camera, str) and camera not in self.names:
                raise UnknownEntityError("camera", camera, self.names) from None
            raise
