# SPDX-License-Identifier: Apache-2.0
"""Many rays at once."""
