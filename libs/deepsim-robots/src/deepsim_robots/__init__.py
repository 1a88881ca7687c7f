# SPDX-License-Identifier: Apache-2.0
"""Robots of named joints, controllers and sensors, from one configuration."""

__all__: list[str] = []
