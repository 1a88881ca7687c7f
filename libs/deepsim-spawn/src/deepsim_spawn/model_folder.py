# SPDX-License-Identifier: Apache-2.0
"""Folders of models, as Gazebo lays them out: a `model.config` that lists files by SDF version."""

from __future__ import annotations

from pathlib import Path

from .errors import ModelFormatError
