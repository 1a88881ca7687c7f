# SPDX-License-Identifier: Apache-2.0
"""Visual effects and domain randomisers."""
