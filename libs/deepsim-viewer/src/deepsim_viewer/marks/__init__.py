# SPDX-License-Identifier: Apache-2.0
"""Optional marks: frames, names, colliders, contacts and rays."""
