# SPDX-License-Identifier: Apache-2.0
"""Rays, planes and frustums: values that are made of other values."""
