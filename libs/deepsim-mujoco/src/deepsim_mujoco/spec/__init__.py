# SPDX-License-Identifier: Apache-2.0
"""Model descriptions as a MuJoCo spec."""
