# SPDX-License-Identifier: Apache-2.0
"""Tests beside the bare engine import its scenes from their folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
