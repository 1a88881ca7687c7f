# SPDX-License-Identifier: Apache-2.0
"""Marks that can be switched on: frames, names, colliders, contacts and rays."""
