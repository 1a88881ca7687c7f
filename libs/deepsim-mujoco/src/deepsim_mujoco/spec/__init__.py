# SPDX-License-Identifier: Apache-2.0
"""Conversion of model descriptions to a MuJoCo spec."""
