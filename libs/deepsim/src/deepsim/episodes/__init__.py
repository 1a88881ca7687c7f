# SPDX-License-Identifier: Apache-2.0
"""Episodes of a task, and their film, map, table and trajectory."""
