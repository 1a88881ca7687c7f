# SPDX-License-Identifier: Apache-2.0
"""The models that a scenario may place: read, measured and resized."""

from __future__ import annotations

from .downloads import ModelDownloads
from .model_class import ModelClass, ModelType
from .model_list import ModelList, read_models
from .resizing import resized

__all__ = ["ModelClass", "ModelDownloads", "ModelList", "ModelType", "read_models", "resized"]
