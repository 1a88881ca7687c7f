# SPDX-License-Identifier: Apache-2.0
"""Runs dynamic scenarios: Scenic behaviours and monitors act in a running world."""
