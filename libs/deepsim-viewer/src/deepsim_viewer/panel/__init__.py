# SPDX-License-Identifier: Apache-2.0
"""The controls beside the picture, one folder of controls per module."""
