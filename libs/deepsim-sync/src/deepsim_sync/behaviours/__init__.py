# SPDX-License-Identifier: Apache-2.0
"""Behaviours and transforms: objects for single models of one world."""
