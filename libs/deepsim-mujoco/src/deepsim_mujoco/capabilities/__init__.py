# SPDX-License-Identifier: Apache-2.0
"""The optional capabilities of the simulator."""
