# SPDX-License-Identifier: Apache-2.0
"""Compiles Scenic scenarios with a library of models, and samples scenes from them."""
