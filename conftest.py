# SPDX-License-Identifier: Apache-2.0
"""Property tests try the same examples in every run; `--brief` shortens the output."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

_DOT = 50  # tests


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption(
        "--brief", action="store_true", help=f"a dot for {_DOT} tests; skips counted by reason"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the short output where it is asked for."""
    if config.getoption("--brief", default=False):
        config.pluginmanager.register(Brief())


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
