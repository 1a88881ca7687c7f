# SPDX-License-Identifier: Apache-2.0
"""Distance and penetration depth of convex shapes, from their support points alone."""
