# SPDX-License-Identifier: Apache-2.0
"""Tasks: their definition, and how folders of them are found, loaded and registered."""
