"""Text that every form of a report can hold: without the control characters that no drawing and no page may have."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

# What is no character of XML 1.0: drawings with one can't be read, and a typesetter has no sign for it.
NO_CHARACTER = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\u007f")
INSTEAD = "\ufffd"
EXACT = ("data",)
"""Fields that are for machines and stay as they are."""
T = TypeVar("T")


def printable_text(text: str) -> str:
    """The text with a replacement character for each control character; line breaks and tabs stay."""
    return NO_CHARACTER.sub(INSTEAD, text)


def printable(value: T) -> T:
    """The same for every text within a document: dataclasses, lists and tuples are gone through, the rest is kept."""
    made: Any = value
    if isinstance(value, str):
        made = printable_text(value)
    elif is_dataclass(value) and not isinstance(value, type):
        own = {field.name: getattr(value, field.name) for field in fields(value) if field.name not in EXACT}
        made = replace(value, **{name: printable(one) for name, one in own.items()})
    elif isinstance(value, (list, tuple)):
        made = type(value)(printable(one) for one in value)
    return made  # type: ignore[no-any-return]
