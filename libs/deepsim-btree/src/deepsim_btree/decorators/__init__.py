# SPDX-License-Identifier: Apache-2.0
"""The nodes with one child, and those that run beside one."""
