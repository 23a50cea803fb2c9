"""Fixtures of the sandbox tests."""

from tests.sandbox.gui_desk import gui

__all__ = ["gui"]
