# SPDX-License-Identifier: Apache-2.0
"""Controllers: from actions to the commands of joints, on arrays of worlds."""
