# SPDX-License-Identifier: Apache-2.0
"""Property tests try the same examples in every run, but for `--hypothesis-profile random`.

Adds `--brief` and the mark `quick`.

The tests of each library get those of tests/documentation.py: README, docstrings, public names.

Processes that tests start get default signals, whatever this process inherited.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings

# Or ffmpeg may crash that a test starts while another one's channel is open (grpc/grpc#43055).
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")

# Commands that tests start compute the bits of this process, which was not started as portable.
os.environ.setdefault("DEEPSIM_PORTABLE", "0")

settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("random", settings.get_profile("repeatable"), derandomize=False)
settings.load_profile("repeatable")

_DOT = 50  # tests
_ROOT = Path(__file__).resolve().parent
_CHECKS = _ROOT / "tests" / "documentation.py"
_QUICK = [_ROOT / "libs" / f"deepsim-{name}" / "tests" for name in ("fx", "gazebo", "math", "sync")]
"""Folders whose tests are marked quick: what most others stand on, in half a minute of one core."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption(
        "--brief", action="store_true", help=f"a dot for {_DOT} tests; skips counted by reason"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the short output where it is asked for, and resets signals."""
    _reset_signals()
    if config.getoption("--brief", default=False):
        config.pluginmanager.register(Brief())


def _reset_signals() -> None:
    """Unblocks signals and stops ignoring them.

    A background job of a script ignores SIGINT, and one of nohup SIGHUP; so would all processes
    that tests start. They do not inherit handlers. SIGTERM ends the run in order.
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
    own = {getattr(signal, name, None) for name in ("SIGPIPE", "SIGXFSZ")}  # by Python itself
    for number in signal.valid_signals() - own:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _still_ignore)
    if signal.getsignal(signal.SIGINT) is _still_ignore:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _end)


def _still_ignore(_number: int, _frame: FrameType | None) -> None:
    """Ignores a signal in this process alone."""


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, _still_ignore)  # `timeout` sends it twice
    pytest.exit("ended by SIGTERM", 128 + number)


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
    """Adds the checks of documentation to the tests of a library."""
    is_library = path.name == "tests" and path.parent.parent == _ROOT / "libs"
    if not is_library or not _CHECKS.is_file() or _left_out(path / _CHECKS.name, parent.config):
        return None
    return LibraryTests.from_parent(parent, path=path)


class LibraryTests(pytest.Dir):
    """The tests of a library: those in its folder, and those of its documentation."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Returns both."""
        yield from super().collect()
        yield pytest.Module.from_parent(self, path=_CHECKS, nodeid=f"{self.nodeid}/{_CHECKS.name}")


@pytest.fixture
def names_of_examples() -> dict[str, object]:
    """The names that readers of docstrings know, besides those of the library itself."""
    found: dict[str, object] = {}
    for name in ("math", "sync", "sync.testing", "spawn", "mujoco"):
        with contextlib.suppress(ImportError):
            found.update(vars(importlib.import_module(f"deepsim_{name}")))
    with contextlib.suppress(ImportError):
        found["np"] = importlib.import_module("numpy")
    return found


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out, for `-m quick`, folders without a test that is marked so."""
    is_left_out = collection_path.suffix == ".py" and _left_out(collection_path, config)
    return True if is_left_out else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of these folders."""
    for item in items:
        folder = item.getparent(pytest.Dir)  # that of the library, for checks of documentation
        if _is_quick(item.path) or (folder and _is_quick(folder.path / item.path.name)):
            item.add_marker("quick")


def _left_out(path: Path, config: pytest.Config) -> bool:
    return config.option.markexpr == "quick" and not _is_quick(path)


def _is_quick(path: Path) -> bool:
    return any(folder in path.parents for folder in _QUICK)


class Brief:
    """Prints a dot for many tests, and one line for each reason of skipped tests."""

    def __init__(self) -> None:
        self._passed = 0

    def pytest_report_teststatus(
        self, report: pytest.TestReport | pytest.CollectReport
    ) -> tuple[str, str, str] | None:
        """Returns category, letter and word of a test that passed or was skipped."""
        if report.skipped and not hasattr(report, "wasxfail"):
            return "skipped", "", "SKIPPED"
        if report.passed and report.when == "call":
            self._passed += 1
            return "passed", "" if self._passed % _DOT else ".", "PASSED"
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the reasons, the most frequent first."""
        reports = terminalreporter.getreports("skipped")
        reasons = Counter(report.longrepr[2].replace("Skipped: ", "", 1) for report in reports)
        for reason, count in reasons.most_common():
            terminalreporter.write_line(f"{count:5} skipped: {reason}")
