# SPDX-License-Identifier: Apache-2.0
"""`python -m deepsim` is the `deepsim` command."""

from .cli import app

app()
