# SPDX-License-Identifier: Apache-2.0
"""The capabilities of the simulator, beyond the tables."""
