# SPDX-License-Identifier: Apache-2.0
"""The capability to go back to an instant."""

from __future__ import annotations

from typing import Any, Protocol


class Snapshots(Protocol):
    """Saves and restores the physics of all worlds."""

    def get_state(self) -> Any:
        """Returns everything that the physics at later instants depends on; it can be pickled.

        Physics properties and camera mounts are part of it, where the simulator offers them. The
        appearance of visuals and lights is not.
        """
        ...

    def set_state(self, state: Any) -> None:
        """Goes back to an instant of this simulator, or of another one with the same entities.

        The physics goes on from there bit for bit as it did before.

        Args:
            state: The result of `get_state`.

        Raises:
            ValueError: The state belongs to other entities, or to another number of worlds.
        """
        ...
