# SPDX-License-Identifier: Apache-2.0
"""`python tools/gazebo`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the package `gazebo` is

from gazebo.command_line import main

sys.exit(main())
