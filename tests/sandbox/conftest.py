"""Fixtures of the sandbox tests."""

from tests.sandbox.fixtures.atlas.desk import atlas_gui
from tests.sandbox.gui_desk import gui

__all__ = ["atlas_gui", "gui"]
