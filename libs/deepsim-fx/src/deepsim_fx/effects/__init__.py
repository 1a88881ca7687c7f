# SPDX-License-Identifier: Apache-2.0
"""Effects: temporary changes of how visuals look, layered on top of each other."""
