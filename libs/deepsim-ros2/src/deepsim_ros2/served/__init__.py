# SPDX-License-Identifier: Apache-2.0
"""The worlds behind a server, their frames, and refused requests."""
