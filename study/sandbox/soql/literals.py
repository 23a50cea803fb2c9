"""Values as they are written, and what they are for a field of some type."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime

from study.sandbox.engine.daterange import WORDS, DateRange
from study.sandbox.engine.errors import INVALID_FIELD
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.registry import FOLDED
from study.sandbox.soql.errors import NUMBER_OUTSIDE, SoqlError, fault, suggestion
from study.sandbox.soql.nodes import Literal

_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "%": "%", "_": "_"}
_PIECE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\(.)|([^\\]+)", re.DOTALL)
_CURRENCY = re.compile(r"[A-Z]{3}\d+(?:\.\d+)?")
_ZONE = re.compile(r"(?:Z|[+-]\d{2}:?\d{2})$", re.IGNORECASE)
_LONGEST_NUMBER = 40
_WHOLE = re.compile(r"[+-]?[0-9]+")
_TRUE_FALSE = {"true": True, "false": False}
DATE_WORDS = {word.upper(): needs for word, needs in WORDS.items() if not word.startswith("past_")}
"""The date words of a query, and whether each needs a number behind a colon."""

Value = str | int | float | bool | date | datetime | DateRange | None


def pieces(literal: Literal) -> list[tuple[str, bool]]:
    """A quoted text as (characters, whether they stood behind a backslash)."""
    found: list[tuple[str, bool]] = []
    inner = literal.text[1:-1]
    for match in _PIECE.finditer(inner):
        code, escaped, plain = match.groups()
        if plain is not None:
            found.append((plain, False))
        elif code is not None:
            found.append((chr(int(code, 16)), True))
        elif escaped in _ESCAPED:
            found.append((_ESCAPED[escaped], True))
        else:
            message = f"\\{escaped} means nothing in a text. A backslash itself is written \\\\."
            raise fault(message, literal.at + 1 + match.start())
    return found


def whole(characters: str) -> str:
    """A text whose \\u pairs have become the one character they stand for."""
    return characters.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def text_of(literal: Literal) -> str:
    return whole("".join(part for part, _ in pieces(literal)))


def value_of(literal: Literal, kind: str, place: str) -> Value:
    """The value for a field of this type. SoqlError where the field cannot have such a value."""
    if literal.kind == "text":
        return _text(literal, kind, place)
    if literal.kind == "number":
        return _number(literal, kind, place)
    if literal.kind in {"day", "moment"}:
        return _dated(literal, kind, place)
    return _word(literal, kind, place)


def _wrong(literal: Literal, kind: str, place: str) -> SoqlError:
    words = {
        "number": "takes a number, without quotes", "integer": "takes a whole number, without quotes",
        "boolean": "takes true or false, without quotes", "date": "takes a date such as 2024-03-31, without quotes",
        "datetime": "takes a time such as 2024-03-31T09:00:00Z, without quotes",
        "id": "takes an Id in single quotes", "reference": "takes an Id in single quotes",
    }  # fmt: skip
    return fault(f"{place} {words.get(kind, 'takes a text in single quotes')}.", literal.at, INVALID_FIELD)


def _text(literal: Literal, kind: str, place: str) -> Value:
    if kind not in FOLDED | {"id", "reference"}:
        raise _wrong(literal, kind, place)
    text = text_of(literal)
    if kind in {"id", "reference"} and text and normal_id(text) is None and not _like_an_id(text):
        message = f"{text[:40]!r} is not an Id: an Id here has 15 or 18 letters and digits."
        raise fault(message, literal.at, "INVALID_QUERY_FILTER_OPERATOR")
    return text


def _like_an_id(text: str) -> bool:
    return len(text) in {15, 18} and text.isascii() and text.isalnum()


def _number(literal: Literal, kind: str, place: str) -> Value:
    if kind not in {"number", "integer"}:
        raise _wrong(literal, kind, place)
    if len(literal.text) > _LONGEST_NUMBER:
        raise fault("This number has too many digits.", literal.at, NUMBER_OUTSIDE)
    # Beyond 2**53 a whole number read as a broken one would be another number.
    number = int(literal.text) if _WHOLE.fullmatch(literal.text) else float(literal.text)
    if not math.isfinite(number) or abs(number) >= 2**63:
        raise fault(f"{literal.text} is too large a number.", literal.at, NUMBER_OUTSIDE)
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**53:
        return int(number)
    return number


def _dated(literal: Literal, kind: str, place: str) -> Value:
    if kind not in {"date", "datetime"}:
        raise _wrong(literal, kind, place)
    if literal.kind == "moment" and kind == "date":
        raise fault(f"{place} holds days: compare it with a date such as 2024-03-31.", literal.at, INVALID_FIELD)
    if literal.kind == "moment" and not _ZONE.search(literal.text):
        raise fault(f"A time needs its zone: {literal.text}Z, or an offset such as +02:00.", literal.at)
    try:
        if literal.kind == "day":
            return date.fromisoformat(literal.text)
        return datetime.fromisoformat(literal.text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise fault(f"{literal.text} is not in the calendar.", literal.at) from None


def _word(literal: Literal, kind: str, place: str) -> Value:
    word, _, n = literal.text.partition(":")
    if word.casefold() == "null" and not n:
        return None
    if word.casefold() in _TRUE_FALSE and not n:
        if kind != "boolean":
            raise _wrong(literal, kind, place)
        return _TRUE_FALSE[word.casefold()]
    if word.upper() in DATE_WORDS:
        return _date_word(literal, word, n, kind, place)
    if _CURRENCY.fullmatch(literal.text.upper()):
        raise fault("Amounts in a currency are not spoken here: write the number alone.", literal.at)
    near = suggestion(word, [*DATE_WORDS, "null", "true", "false"])
    if not near and kind in FOLDED | {"id", "reference"}:
        near = f" A text stands in single quotes: '{word}'."
    raise fault(f"{literal.text} is not a value.{near}", literal.at)


def _date_word(literal: Literal, word: str, n: str, kind: str, place: str) -> DateRange:
    if kind not in {"date", "datetime"}:
        raise fault(f"{word} is a date word, and {place} holds no dates.", literal.at, INVALID_FIELD)
    if DATE_WORDS[word.upper()] != bool(n):
        message = f"{word} needs a number: {word}:3." if DATE_WORDS[word.upper()] else f"{word} takes no number."
        raise fault(message, literal.at)
    if n and (len(n) > 7 or int(n) < 1):
        raise fault(f"{word} takes a number of 1 or more that a calendar holds.", literal.at, NUMBER_OUTSIDE)
    return DateRange(word.lower(), int(n) if n else None)
