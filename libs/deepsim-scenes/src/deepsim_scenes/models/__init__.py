# SPDX-License-Identifier: Apache-2.0
"""Reads, measures, downloads and resizes the models that a scenario may place."""

from __future__ import annotations

from .downloads import ModelDownloads
from .model_class import ModelClass, ModelType
from .model_list import ModelList, read_models
from .resizing import resized

__all__ = ["ModelClass", "ModelDownloads", "ModelList", "ModelType", "read_models", "resized"]
