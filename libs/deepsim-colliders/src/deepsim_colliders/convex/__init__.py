# SPDX-License-Identifier: Apache-2.0
"""Distance and depth of convex shapes that are known by their support points only."""
