"""Fixtures of the sandbox tests."""

from typing import Any

from tests.sandbox.differential import LINES
from tests.sandbox.fixtures.atlas.desk import atlas_gui
from tests.sandbox.gui_desk import gui
from tests.sandbox.odd_desk import odd

__all__ = ["atlas_gui", "gui", "odd"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What the differential tests compared is said even where passed tests are not."""
    for line in LINES:
        terminalreporter.write_line(line)
