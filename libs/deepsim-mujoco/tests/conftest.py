# SPDX-License-Identifier: Apache-2.0
"""Models that several tests spawn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deepsim_spawn import GazeboXMLLoader, ModelDescription

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE / "bare")]  # for scenes that several tests share

Load = Callable[[str], ModelDescription]


@pytest.fixture
def load() -> Load:
    """Loads the inside of a <model> element."""

    def load_model(inside: str) -> ModelDescription:
        text = f'<sdf version="1.7"><model name="model">{inside}</model></sdf>'
        return GazeboXMLLoader().load_model(text)

    return load_model


@pytest.fixture
def ground(load: Load) -> ModelDescription:
    """An infinite plane of friction 1."""
    return load(
        """<static>true</static><link name="link"><collision name="collision">
        <geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>
        </collision></link>"""
    )


@pytest.fixture
def ball(load: Load) -> ModelDescription:
    """A solid ball of 0.1 m and 1 kg."""
    return load(
        """<link name="link"><inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy>
        <izz>0.004</izz></inertia></inertial><collision name="collision"><geometry><sphere>
        <radius>0.1</radius></sphere></geometry></collision></link>"""
    )


@pytest.fixture
def box(load: Load) -> Callable[..., ModelDescription]:
    """A cube of 0.2 m and 1 kg."""

    def make(mu: float = 1.0, extra: str = "") -> ModelDescription:
        return load(
            f"""<link name="link">
            <inertial><mass>1</mass><inertia><ixx>0.0067</ixx><iyy>0.0067</iyy><izz>0.0067</izz>
            </inertia></inertial>
            <collision name="collision">
              <geometry><box><size>0.2 0.2 0.2</size></box></geometry>
              <surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction></surface>
            </collision>
            <visual name="visual">
              <geometry><box><size>0.2 0.2 0.2</size></box></geometry>
            </visual>{extra}</link>"""
        )

    return make


@pytest.fixture
def run_python() -> Callable[..., str]:
    """What a fresh interpreter prints that runs some code, in an environment with some changes."""

    def run(code: str, **environment: str) -> str:
        finished = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    return run
