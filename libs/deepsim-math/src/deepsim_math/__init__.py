# SPDX-License-Identifier: Apache-2.0
"""Vectors, quaternions, poses, twists and colours, one at a time and in batch."""
