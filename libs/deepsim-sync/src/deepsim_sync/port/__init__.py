# SPDX-License-Identifier: Apache-2.0
"""The port: names, tables, changes and capabilities of an engine."""
