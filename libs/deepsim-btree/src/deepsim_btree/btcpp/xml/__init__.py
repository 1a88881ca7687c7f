# SPDX-License-Identifier: Apache-2.0
"""The files of BehaviorTree.CPP; `deepsim_btree.xml` has what users need of it."""
