# SPDX-License-Identifier: Apache-2.0
"""The packages of messages that no package index has: their definitions, and how they are built."""
