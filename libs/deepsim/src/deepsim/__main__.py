# SPDX-License-Identifier: Apache-2.0
"""The `deepsim` command, which `python -m deepsim` is, too."""

from .portable import restart


def main() -> None:
    """Runs the command, with the same bits on every processor where they can be had."""
    restart()
    from .cli import app  # noqa: PLC0415 (loads NumPy)

    app()


if __name__ == "__main__":
    main()
