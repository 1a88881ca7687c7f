# SPDX-License-Identifier: Apache-2.0
"""Rays, planes and frustums: values composed of other values."""
