# SPDX-License-Identifier: Apache-2.0
"""Workers in this process, in other processes on this machine, and on a Ray cluster."""
