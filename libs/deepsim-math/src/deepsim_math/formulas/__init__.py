# SPDX-License-Identifier: Apache-2.0
"""The formulas of the library, on components that are floats or arrays.

Value classes call them with Python floats, batch functions with columns of arrays.
"""
