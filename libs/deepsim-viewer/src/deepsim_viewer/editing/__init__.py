# SPDX-License-Identifier: Apache-2.0
"""Creates, places and saves models of a world."""
