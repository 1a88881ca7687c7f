# SPDX-License-Identifier: Apache-2.0
"""The port to a physics engine: names, tables, changes and capabilities."""
