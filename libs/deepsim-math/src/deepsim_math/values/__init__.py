# SPDX-License-Identifier: Apache-2.0
"""One value at a time: immutable vectors, points, rotations, poses, twists and colours."""
