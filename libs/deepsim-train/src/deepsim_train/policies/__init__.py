# SPDX-License-Identifier: Apache-2.0
"""Trained policies, stored as plain arrays or ONNX models; they act without torch."""
