# SPDX-License-Identifier: Apache-2.0
"""Sets of colliders, with their state as arrays."""
