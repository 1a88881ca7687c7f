# SPDX-License-Identifier: Apache-2.0
"""The scene that a browser shows: descriptions as batches of meshes."""
