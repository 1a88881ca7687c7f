# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics by damped least squares, in all worlds at once."""
