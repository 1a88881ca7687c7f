# SPDX-License-Identifier: Apache-2.0
"""The environment, which resets and steps the agents of an area, on arrays or by name."""

from .environment import Environment
from .info import info_of

__all__ = ["Environment", "info_of"]
