# SPDX-License-Identifier: Apache-2.0
"""Every formula of the library, once: on components that are floats or arrays.

The value classes call them with Python floats, the batch functions with columns of arrays.
"""
