# SPDX-License-Identifier: Apache-2.0
"""Single values: immutable vectors, points, rotations, poses, twists and colours."""
