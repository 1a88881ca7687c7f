# SPDX-License-Identifier: Apache-2.0
"""State of a connection to a server: time control, names of rows, and pace."""
