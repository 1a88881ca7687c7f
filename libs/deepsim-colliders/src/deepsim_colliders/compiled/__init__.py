# SPDX-License-Identifier: Apache-2.0
"""Compiled versions with equal results; they need numba (the extra ``fast``)."""
