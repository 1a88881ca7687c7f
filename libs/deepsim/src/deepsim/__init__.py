# SPDX-License-Identifier: Apache-2.0
"""Hard reinforcement-learning environments for robots, in Python."""
