# SPDX-License-Identifier: Apache-2.0
"""The tables as a world shows them: at the present instant, with what was put."""

from __future__ import annotations

from .mirror import Mirror
from .tables import LightTable, StateTable, VisualTable


class TableViews:
    """Read-only tables of one world, or of many at once: W worlds with N rows each."""

    _mirror: Mirror

    @property
    def models(self) -> StateTable:
        """Poses (W, N, 7) and twists (W, N, 6) of models at the present instant."""
        return self._mirror.tables("models").models

    @property
    def links(self) -> StateTable:
        """Poses (W, N, 7) and twists (W, N, 6) of links at the present instant."""
        return self._mirror.tables("links").links

    @property
    def visuals(self) -> VisualTable:
        """How visuals look."""
        return self._mirror.tables("visuals").visuals

    @property
    def lights(self) -> LightTable:
        """Colours and attenuation of lights."""
        return self._mirror.tables("lights").lights
