# SPDX-License-Identifier: Apache-2.0
"""Tables in a file that the server writes and this process maps into memory."""
