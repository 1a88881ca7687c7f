# SPDX-License-Identifier: Apache-2.0
"""XML elements with file and line, checked values and warnings."""
