# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo states of all worlds, and their conversion to and from tables."""
