# SPDX-License-Identifier: Apache-2.0
"""The scene in the browser: descriptions as batches of meshes."""
