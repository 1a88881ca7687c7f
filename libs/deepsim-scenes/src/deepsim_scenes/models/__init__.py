# SPDX-License-Identifier: Apache-2.0
"""Reads, measures, downloads and resizes the models that a scenario may place."""
