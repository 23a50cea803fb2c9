"""What an expert can do in the hour, whichever way it is done: over HTTP, or by the flows behind the pages.

What they decide stands elsewhere and is the same for both. Hands do as they are told, write down nothing and read the
database only for what no page tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from study.assignment.models import Visit
from study.fieldwork.models import Attempt, CardShown
from study.protocols.hour import Module, Move
from study.protocols.parts import Item

Form = Mapping[str, Any]


class Unexpected(Exception):
    """Something answered otherwise than it should; the text names it and what it said."""


class TimeIsUp(Exception):
    """The minutes of the work are used up; the ratings come next."""


class Hands(Protocol):
    """``code`` is known after ``arrive``, ``visit`` (the newest) after ``consent``."""

    code: str

    @property
    def visit(self) -> Visit: ...

    def arrive(self) -> None:
        """Come in, up to the first question of the screener."""

    def screen(self, form: Form) -> bool:
        """Send the screener; whether consent comes next."""

    def consent(self, ticks: list[str]) -> None: ...

    def wait(self, seconds: float) -> None:
        """Let time pass where time is drawn. Raises TimeIsUp."""

    def start_move(self, move: Move) -> None: ...
    def do_move(self, move: Move) -> None: ...
    def leave_move(self, move: Move) -> None: ...
    def orient(self, practice: str | None, check: Form | None) -> None: ...

    def open_question(self, number: int) -> None:
        """Raises TimeIsUp."""

    def list_records(self, thing: str) -> list[str]:
        """Open a list at the question's desk; the records it offers."""

    def open_record(self, record: str) -> None: ...
    def search(self, text: str) -> None: ...
    def answer(self, attempt: Attempt, form: Form) -> None: ...
    def say_after(self, attempt: Attempt, items: list[Item], form: Form) -> None: ...

    def save(self, name: str, value: Any, base: int = 0) -> int:
        """One autosave; the version it was acknowledged with."""

    def begin_ratings(self) -> None: ...

    def show_card(self, target: str) -> list[str]:
        """The records of its look; none where it has no look."""

    def look_at(self, record: str) -> None: ...
    def do_not_know(self, target: str) -> None: ...
    def attach(self, target: str, side: str, record: str) -> None: ...
    def leave_card(self, target: str, form: Form) -> None: ...
    def leave_matrix(self, form: Form) -> None: ...
    def lock(self, *, leave_open: bool) -> None: ...

    def closing_cards(self, module: Module) -> list[CardShown]: ...
    def show_closing_card(self, card: CardShown) -> None: ...
    def leave_closing_card(self, card: CardShown, choice: str) -> None: ...
    def show_module(self, module: Module) -> None: ...
    def answer_module(self, module: Module, form: Form) -> None: ...

    def end_visit(self) -> None:
        """Go home until the next visit."""

    def come_again(self) -> None:
        """Begin the next visit once it can begin."""

    def finish(self) -> None: ...

    def go_away(self) -> None:
        """Close the window for good, wherever it is."""

    def stop(self) -> None:
        """Do nothing any more: whatever comes next raises Unexpected."""
