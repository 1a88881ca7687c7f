# SPDX-License-Identifier: Apache-2.0
"""deepsim-math beside other libraries of rotations: one at a time, a handful, a million.

All ways of a task give the same answer, which is checked first, and are timed in turns in one
process, on arguments in the form that each library likes best.
"""

from __future__ import annotations

import maths_arrays
import maths_values
from peers import compare

ROUNDS = 7


def main() -> None:
    """Measures all tasks."""
    tasks = [*maths_values.cases(), *maths_arrays.cases()]
    compare("maths", tasks, ROUNDS, "numpy")


if __name__ == "__main__":
    main()
