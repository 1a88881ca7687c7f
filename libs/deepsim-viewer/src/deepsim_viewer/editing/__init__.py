# SPDX-License-Identifier: Apache-2.0
"""Changes of the models of a world: make, place, save."""
