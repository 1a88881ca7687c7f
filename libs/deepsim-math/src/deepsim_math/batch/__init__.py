# SPDX-License-Identifier: Apache-2.0
"""Arrays of values: `blocks` drives the formulas over rows, each other module is one kind."""
