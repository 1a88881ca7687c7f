# SPDX-License-Identifier: Apache-2.0
"""Effects: temporary changes of the appearance of visuals, layered on top of each other."""
