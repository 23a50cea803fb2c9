"""A protocol in further languages: one mapping per language, from the address of a text to the text."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from study.protocols.parts import Language, Part

Address = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,199}$")]
Translated = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=12_000)]


class Translation(Part):
    """The texts of one more language. Each is addressed by keys, ids and codes (``screener.items.S1.text``), so that
    the order of items does not matter; see ``translations.py``."""

    language: Language
    texts: Annotated[dict[Address, Translated], Field(min_length=1)]
