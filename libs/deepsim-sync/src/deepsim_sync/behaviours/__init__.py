# SPDX-License-Identifier: Apache-2.0
"""Behaviours and transforms: one object for each model, in one world."""
