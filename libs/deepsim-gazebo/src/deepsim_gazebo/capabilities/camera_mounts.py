# SPDX-License-Identifier: Apache-2.0
"""Poses and lenses of camera sensors that differ from their descriptions."""

from __future__ import annotations

from deepsim_gazebo.session.session import Session
from deepsim_gazebo.session.single_world import check_world, is_chosen
from deepsim_sync import CameraMount, UnknownEntityError, WorldNumbers


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
