# SPDX-License-Identifier: Apache-2.0
"""The names of a server's rows, generation by generation."""

from __future__ import annotations

from deepsim_sync import Entities

from .client import BatchStateClient, Listing

_KEPT = 16


class NameBook:
    """Asks for names when the generation is a new one, and keeps those of the last generations.

    Args:
        client: Whom to ask.
    """

    def __init__(self, client: BatchStateClient) -> None:
        self._client = client
        self._listings: dict[int, Listing] = {}
        self._latest: int | None = None
        self._losses = client.losses

    @property
    def present(self) -> Listing:
        """The names of the latest generation; asks the server where they are not known."""
        if self._losses != self._client.losses:
            self._losses, self._latest = self._client.losses, None
        if self._latest is None or self._latest not in self._listings:
            listing = self._client.names()
            self._latest = listing.entities.generation
            self._listings.setdefault(self._latest, listing)
            while len(self._listings) > _KEPT:
                del self._listings[next(iter(self._listings))]
        return self._listings[self._latest]

    def saw(self, generation: int) -> None:
        """Tells of the generation of an answer."""
        self._latest = generation

    def forget(self) -> None:
        """Tells that entities came or went; the generation is not known."""
        self._latest = None

    def of(self, generation: int) -> Entities:
        """The names of a generation that was present before.

        Raises:
            ValueError: It was not, or too long ago.
        """
        listing = self._listings.get(generation) or self.present
        if listing.entities.generation != generation:
            raise ValueError(
                f"changes are for generation {generation} of entities, which was never read here "
                f"or is long gone; now it is {listing.entities.generation}"
            )
        return listing.entities
