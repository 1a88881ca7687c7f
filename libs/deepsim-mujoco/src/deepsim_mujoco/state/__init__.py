# SPDX-License-Identifier: Apache-2.0
"""The states of all worlds, and the poses and twists in them."""
