"""What a query text can end in: a code, a sentence, and the place of the fault with a caret under it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from study.sandbox.engine.errors import INVALID_VALUE, MALFORMED_QUERY, QueryError

EXCEEDED_ID_LIMIT = "EXCEEDED_ID_LIMIT"
INVALID_QUERY_LOCATOR = "INVALID_QUERY_LOCATOR"
NUMBER_OUTSIDE = "NUMBER_OUTSIDE_VALID_RANGE"

BEFORE, AROUND = 44, 88


class SoqlError(QueryError):
    """A query text that cannot be answered.

    ``line`` and ``column`` count from 1 and are None where the fault has no one
    place; ``excerpt`` is the line around it, with a second line holding the caret.
    """

    def __init__(self, code: str, message: str, at: int | None = None, place: str = "") -> None:
        super().__init__(code, message, place)
        self.at = at
        self.line: int | None = None
        self.column: int | None = None
        self.excerpt = ""

    def located(self, text: str) -> SoqlError:
        """Itself, with line, column and excerpt of ``at`` in this text."""
        at = self.at if self.at is not None else _found(text, self.place)
        if at is None:
            return self
        at = max(0, min(at, len(text)))
        start = text.rfind("\n", 0, at) + 1
        self.line, self.column = text.count("\n", 0, at) + 1, at - start + 1
        line = text[start:].split("\n", 1)[0]
        left = max(0, at - start - BEFORE)
        # Blanks of any kind stand as one blank each, so that the caret stays under its character.
        shown = "".join(" " if char.isspace() else char for char in line[left : left + AROUND])
        self.excerpt = f"{shown}\n{' ' * (at - start - left)}^"
        return self


def fault(message: str, at: int | None, code: str = MALFORMED_QUERY) -> SoqlError:
    """What is wrong with a query, at a place in its text."""
    return SoqlError(code, message, at)


def _found(text: str, place: str) -> int | None:
    at = text.casefold().find(place.casefold()) if place else -1
    return at if at >= 0 else None


def from_engine(error: QueryError) -> SoqlError:
    """An error of the engine in the codes that people who write queries know."""
    if isinstance(error, SoqlError):
        return error
    code = "INVALID_FIELD" if error.code == INVALID_VALUE else error.code
    return SoqlError(code, error.message, place=error.place)


def suggestion(name: str, known: Iterable[str]) -> str:
    """`` Did you mean Account?`` for a name that is nearly one of these, else nothing."""
    names = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), list(names), 1, 0.6)
    return f" Did you mean {names[near[0]]}?" if near else ""
