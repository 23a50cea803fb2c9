"""Reading a text by the grammar. Every text ends in nodes or in a SoqlError with its place."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from lark import Lark, UnexpectedCharacters, UnexpectedEOF, UnexpectedToken
from lark.exceptions import UnexpectedInput

from study.sandbox.engine.errors import MALFORMED_QUERY
from study.sandbox.soql.building import Builder
from study.sandbox.soql.errors import SoqlError, suggestion
from study.sandbox.soql.nodes import Found, Query

MAX_LENGTH = 100_000
_WORDS = {
    "PATH": "a name", "STRING": "a text in single quotes", "NUMBER": "a number", "DATE": "a date",
    "DATETIME": "a time", "COUNTED": "a date word", "BIND": "", "SIGN": "a comparison", "LPAR": "(", "RPAR": ")",
    "COMMA": "a comma", "SOUGHT": "words in braces", "DIRECTION": "ASC or DESC", "PLACE": "FIRST or LAST",
    "SET": "", "$END": "the end", "_UPDATE": "", "_ALL": "", "_TYPEOF": "", "_USING": "", "_FOR": "",
}  # fmt: skip
_VALUES = {"STRING", "NUMBER", "DATE", "DATETIME", "COUNTED", "PATH"}
_PREVIOUS = re.compile(r"(\w{3,9})\s+$")
_FIRST_WORD = re.compile(r"\s*([A-Za-z]+)")


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark.open(
        "grammar.lark", rel_to=__file__, parser="lalr", start=["soql", "sosl"], transformer=Builder(),
        maybe_placeholders=True, propagate_positions=False,
    )  # fmt: skip


def is_sosl(text: str) -> bool:
    """Whether the first word of a text is FIND."""
    first = _FIRST_WORD.match(text)
    return bool(first and first[1].upper() == "FIND")


def parse_soql(text: str) -> Query:
    return cast("Query", _parse(text, "soql"))


def parse_sosl(text: str) -> Found:
    return cast("Found", _parse(text, "sosl"))


def _parse(text: str, start: str) -> Query | Found:
    if len(text) > MAX_LENGTH:
        raise SoqlError(MALFORMED_QUERY, f"A query may hold {MAX_LENGTH:,} characters.", MAX_LENGTH)
    if not text.strip():
        raise SoqlError(MALFORMED_QUERY, "There is no query. Begin with SELECT, or with FIND to search.", 0)
    try:
        return cast("Query | Found", _parser().parse(text, start=start))
    except UnexpectedInput as error:
        raise _syntax_error(error, text) from None


def _syntax_error(error: UnexpectedInput, text: str) -> SoqlError:
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        expected, at = set(error.accepts or error.expected), error.token.start_pos or 0
        meant = _PREVIOUS.search(text, 0, at)
        # SELECT Id FORM Case, FROM Case WHER Id = null: the word before was taken for an alias.
        near = suggestion(meant[1], _keywords(expected)) if meant else ""
        if meant and near:
            return SoqlError(MALFORMED_QUERY, f"Unexpected {meant[1]}.{near}", meant.start(1))
        return SoqlError(MALFORMED_QUERY, _unexpected(str(error.token), error.token.type, expected), at)
    if isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or 0
        return SoqlError(MALFORMED_QUERY, _strange(text, at, set(error.allowed or ())), at)
    accepted = error.accepts if isinstance(error, UnexpectedToken) else None
    expected = set(accepted or getattr(error, "expected", None) or ())
    ended = "The query ends too early." if isinstance(error, UnexpectedEOF | UnexpectedToken) else "Malformed query."
    return SoqlError(MALFORMED_QUERY, ended + _wanted(expected), len(text.rstrip()))


def _keywords(expected: set[str]) -> list[str]:
    return [name.lstrip("_") for name in expected if name.startswith("_")]


def _unexpected(found: str, kind: str, expected: set[str]) -> str:
    if kind in {"_AND", "_OR"} and expected & {"_AND", "_OR"}:
        return "AND and OR stand side by side here. Put parentheses around what belongs together."
    near = suggestion(found, _keywords(expected))
    shown = found if len(found) <= 40 else found[:40] + "…"
    return f"Unexpected {shown}." + (near or _wanted(expected))


def _strange(text: str, at: int, expected: set[str]) -> str:
    char = text[at] if at < len(text) else ""
    if char == '"' or char in "“”‘’":
        return "Text stands in single straight quotes: 'so'."
    if char == "'":
        if "STRING" in expected:
            return "This text has no closing quote. A quote inside a text is written \\'."
        return "Unexpected text." + _wanted(expected)
    if char == "{" and "SOUGHT" in expected:
        return "The words to find have no closing brace."
    return f"Unexpected character {char!r}." + _wanted(expected)


def _wanted(expected: set[str]) -> str:
    """`` Expected FROM or a comma.``, as far as that is short enough to help."""
    if expected >= _VALUES - {"COUNTED"}:
        return " Expected a value: a text in single quotes, a number, a date, a date word, true, false or null."
    words = sorted({_WORDS.get(name, name.lstrip("_")) for name in expected} - {""})
    if not words or len(words) > 7:
        return ""
    return f" Expected {', '.join(words[:-1])} or {words[-1]}." if len(words) > 1 else f" Expected {words[0]}."
