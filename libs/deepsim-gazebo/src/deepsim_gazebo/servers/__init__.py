# SPDX-License-Identifier: Apache-2.0
"""Several gzservers as the worlds of one simulator."""
