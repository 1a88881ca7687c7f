# SPDX-License-Identifier: Apache-2.0
"""Tasks: what they are, how folders of them are found, loaded and registered."""
