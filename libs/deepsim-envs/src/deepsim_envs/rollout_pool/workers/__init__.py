# SPDX-License-Identifier: Apache-2.0
"""Workers in this process, in processes of this machine, and on a Ray cluster."""
