# SPDX-License-Identifier: Apache-2.0
"""Compiled versions with equal results, for which numba is needed (the extra ``fast``)."""
