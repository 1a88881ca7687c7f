# SPDX-License-Identifier: Apache-2.0
"""Which pairs deserve an exact test, by the bounds of shapes; none that meets is ever lost."""
