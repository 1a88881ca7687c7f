# SPDX-License-Identifier: Apache-2.0
"""2D and 3D colliders: intersects, contains and raycast."""
