# SPDX-License-Identifier: Apache-2.0
"""The build backend: flit's pure wheel, or with DEEPSIM_MATH_COMPILED a wheel with C beside it."""
