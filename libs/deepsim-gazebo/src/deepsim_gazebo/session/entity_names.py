# SPDX-License-Identifier: Apache-2.0
"""The names of a server's entities, by generation."""

from __future__ import annotations

from deepsim_gazebo.protocol.client import BatchStateClient, Listing
from deepsim_sync import Entities

_KEPT = 16  # generations


class EntityNames:
    """Cache of the names of recent generations; requests the names of a new one when needed."""

    def __init__(self, client: BatchStateClient) -> None:
        self._client = client
        self._listings: dict[int, Listing] = {}
        self._latest: int | None = None
        self._losses = client.losses

    @property
    def present(self) -> Listing:
        """The names of the latest generation, requested from the server if unknown."""
        if self._losses != self._client.losses:
            self._losses, self._latest = self._client.losses, None
        if self._latest is None or self._latest not in self._listings:
            listing = self._client.names(self._latest or 0)
            self._latest = listing.entities.generation
            self._listings.setdefault(self._latest, listing)
            while len(self._listings) > _KEPT:
                del self._listings[next(iter(self._listings))]
        return self._listings[self._latest]

    def observe(self, generation: int) -> None:
        """Sets the latest generation, from the server's last answer."""
        self._latest = generation

    def invalidate(self) -> None:
        """Makes the latest generation unknown, after entities were added or removed."""
        self._latest = None

    def of(self, generation: int) -> Entities:
        """Returns the names of a recent generation.

        Raises:
            ValueError: The generation is unknown, or no longer cached.
        """
        listing = self._listings.get(generation) or self.present
        if listing.entities.generation != generation:
            raise ValueError(
                f"changes are for generation {generation} of the entities, which is unknown or too "
                f"old; the present one is {listing.entities.generation}"
            )
        return listing.entities
