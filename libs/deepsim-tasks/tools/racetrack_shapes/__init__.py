# SPDX-License-Identifier: Apache-2.0
"""Makes the meshes of the road, the cars and the vans."""
