# SPDX-License-Identifier: Apache-2.0
"""The nodes with any number of children."""
