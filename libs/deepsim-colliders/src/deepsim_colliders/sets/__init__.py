# SPDX-License-Identifier: Apache-2.0
"""Many colliders at once: their state as arrays."""
