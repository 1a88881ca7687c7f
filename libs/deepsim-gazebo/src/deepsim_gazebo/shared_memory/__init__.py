# SPDX-License-Identifier: Apache-2.0
"""Files that the server and this process map into memory, and calls through them."""
