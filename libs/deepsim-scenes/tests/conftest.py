# SPDX-License-Identifier: Apache-2.0
"""The kitchen of the paper, and tests that need Scenic."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deepsim_scenes import ModelList, load_scenario, read_models
from deepsim_scenes.language.scenario import Scenario

sys.path.insert(0, str(Path(__file__).parent))

from kitchen import write_kitchen


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `models.yaml`, its models, and `figure4.scenic`."""
    return write_kitchen(tmp_path_factory.mktemp("kitchen"))


@pytest.fixture(scope="session")
def models(kitchen: Path) -> ModelList:
    """The models of the kitchen."""
    return read_models(kitchen / "models.yaml")


@pytest.fixture
def load(tmp_path: Path, models: ModelList) -> Callable[..., Scenario]:
    """Compiles the text of a scenario with these models."""

    def load_text(text: str, **options: Any) -> Scenario:
        file = tmp_path / "text.scenic"
        file.write_text(text)
        return load_scenario(file, models, **options)

    return load_text


@pytest.fixture(scope="session")
def scenic() -> None:
    """Skips where the extra is not installed, unless it must be."""
    if os.environ.get("DEEPSIM_SCENIC") != "required" and not importlib.util.find_spec("scenic"):
        pytest.skip("the extra deepsim-scenes[scenic] is not installed")
