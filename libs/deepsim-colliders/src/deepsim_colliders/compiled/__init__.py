# SPDX-License-Identifier: Apache-2.0
"""The same answers by compiled code, where numba is installed (the extra ``fast``)."""
