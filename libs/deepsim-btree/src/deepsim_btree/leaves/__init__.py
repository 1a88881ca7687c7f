# SPDX-License-Identifier: Apache-2.0
"""The nodes without children."""
