# SPDX-License-Identifier: Apache-2.0
"""The documentation site: the pages of this repository, and the reference of its libraries."""
