# SPDX-License-Identifier: Apache-2.0
"""The shapes of colliders."""
