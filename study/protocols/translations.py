"""The texts of a protocol by address, and the protocol with them in another language.

An address is the way to a text by keys; an entry of a list is named by its ``id``, ``code`` or ``api``, and by its
number from 1 where it has none: ``screener.items.S1.options.daily.text``, ``rating.org.options.5.line``. What people
read is found by type, as in ``texts.py``, so that a text added to the schema is asked of translators by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from study.protocols.parts import Part
from study.protocols.schema import ProtocolFile
from study.protocols.texts import shown_fields

NAMES = ("id", "code", "api")
P = TypeVar("P", bound=Part)


def texts_of(protocol: ProtocolFile) -> dict[str, str]:
    """Every text a participant can read, by its address, in file order."""
    return dict(_walk(protocol, ""))


def languages_of(protocol: ProtocolFile) -> tuple[str, ...]:
    """The base language, then those it is translated into, in file order."""
    return (protocol.meta.language, *(one.language for one in protocol.translations))


def missing_texts(protocol: ProtocolFile, language: str) -> list[str]:
    """Addresses without a text in this language, in file order; none for the base language."""
    if language == protocol.meta.language:
        return []
    given = translation_of(protocol, language)
    return [address for address in texts_of(protocol) if address not in given]


def translation_of(protocol: ProtocolFile, language: str) -> Mapping[str, str]:
    """The texts given for a language; empty for one the protocol does not have."""
    return next((one.texts for one in protocol.translations if one.language == language), {})


def translated(protocol: ProtocolFile, language: str) -> ProtocolFile:
    """The protocol as its people read it in a language. What has no translation stays as it is; so does
    ``meta.language``, the base.
    """
    texts = translation_of(protocol, language)
    if not texts:
        return protocol
    return _with(protocol, "", texts)


def _name(entry: object, number: int) -> str:
    """How an entry of a list is called in an address."""
    return next((str(getattr(entry, name)) for name in NAMES if hasattr(entry, name)), str(number))


def _below(part: Part, before: str) -> Iterator[tuple[str, str, object, bool]]:
    """Attribute, address, value and whether participants read it, for each field of a section."""
    for attribute, (key, shown) in shown_fields(type(part)).items():
        yield attribute, f"{before}{key}", getattr(part, attribute), shown


def _walk(part: Part, before: str) -> Iterator[tuple[str, str]]:
    for _attribute, address, value, shown in _below(part, before):
        if isinstance(value, Part):
            yield from _walk(value, f"{address}.")
        elif isinstance(value, tuple):
            for n, entry in enumerate(value, start=1):
                if isinstance(entry, Part):
                    yield from _walk(entry, f"{address}.{_name(entry, n)}.")
                elif shown:
                    yield f"{address}.{n}", str(entry)
        elif shown and isinstance(value, str):
            yield address, value


def _with(part: P, before: str, texts: Mapping[str, str]) -> P:
    changes: dict[str, Any] = {}
    for attribute, address, value, shown in _below(part, before):
        if isinstance(value, Part):
            changes[attribute] = _with(value, f"{address}.", texts)
        elif isinstance(value, tuple):
            changes[attribute] = tuple(
                _with(entry, f"{address}.{_name(entry, n)}.", texts)
                if isinstance(entry, Part)
                else texts.get(f"{address}.{n}", entry)
                if shown
                else entry
                for n, entry in enumerate(value, start=1)
            )
        elif shown and isinstance(value, str):
            changes[attribute] = texts.get(address, value)
    return part.model_copy(update=changes)
