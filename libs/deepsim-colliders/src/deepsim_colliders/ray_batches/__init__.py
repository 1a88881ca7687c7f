# SPDX-License-Identifier: Apache-2.0
"""Arrays of rays, and their distances to shapes."""
