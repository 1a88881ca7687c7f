# SPDX-License-Identifier: Apache-2.0
"""Solved tasks, each a folder with its world and its trained policy.

They are loaded by name: ``deepsim run walk``, or ``deepsim_train.load_task("walk")``.
"""
