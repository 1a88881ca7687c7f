# SPDX-License-Identifier: Apache-2.0
"""Recordings: files that replay without a simulator."""
