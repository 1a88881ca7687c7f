# SPDX-License-Identifier: Apache-2.0
"""Pictures without OpenGL: MuJoCo casts the rays, NumPy shades the hits."""
