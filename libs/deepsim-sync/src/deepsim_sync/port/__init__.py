# SPDX-License-Identifier: Apache-2.0
"""The port: what an engine offers, as names, tables, changes and capabilities."""
