# SPDX-License-Identifier: Apache-2.0
"""Defines tasks, and finds, loads and registers the folders that hold them."""
