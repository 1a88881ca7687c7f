# SPDX-License-Identifier: Apache-2.0
"""The topics of a world: clock, transforms, joint states, sensors, and commands."""
