# SPDX-License-Identifier: Apache-2.0
"""Trains policies with PPO: settings, learners, checkpoints, logs and the run folder."""
