# SPDX-License-Identifier: Apache-2.0
"""Policies that were trained, as files of plain arrays; they run on NumPy alone."""
