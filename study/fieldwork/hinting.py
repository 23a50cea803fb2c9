"""Names and addresses in a text, so that whoever wrote it can be asked, kindly and once (M20).

Pure: no database. A hit blocks nothing and changes nothing; what is meant may well be a record of this CRM.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.accounts.typed_text import first_seen

MOST = 5
SHOWN = 60
KINDS: Mapping[str, Promise] = {
    "email": _("an e-mail address"),
    "url": _("an address of a page"),
    "phone": _("a phone number"),
    "company": _("the name of a company"),
    "person": _("a person's name"),
}

_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_URL = re.compile(
    r"(?:https?://|www\.)[^\s<>\"“”]{3,200}|\b[a-z0-9-]{2,63}\.(?:com|org|net|io|eu|de|at|ch|fr|nl|es|it|uk|us|in)\b(?:/\S{0,200})?",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w.,])(?:\+|00)?\(?\d[\d \-./()\u2010\u2011\u2013]{5,22}\d(?!\w|,\d)")
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}")
_WORD = r"[^\W\d_][\w&'’.-]{0,40}"
_COMPANY = re.compile(
    rf"(?:{_WORD}[ \u00a0]|&[ \u00a0]){{1,5}}"
    r"(?:Ltd|Limited|Inc|GmbH|AG|KG|LLC|LLP|PLC|plc|Corp|Corporation|BV|B\.V\.|NV|N\.V\.|Oy|Pty|SpA|S\.p\.A\.|SARL|S\.A\.|SAS|SL|S\.L\.|Co\.)(?!\w)\.?"
)
_PERSON = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Sir|Herrn?|Frau|Señora?|Sra?|Monsieur|Madame|Mme|Signora?)\b\.?[ \u00a0]({_WORD})"
)


@dataclass(frozen=True)
class Hit:
    """A place that may name somebody: its kind and the words, short enough to show."""

    kind: str
    text: str

    @property
    def kind_words(self) -> Promise:
        return KINDS[self.kind]


Span = tuple[int, int]


def places(text: str) -> dict[Span, str]:
    """Where in a text somebody may be named, with the kind, in reading order; places never overlap."""
    found: dict[Span, str] = {}
    for kind, find in _FINDERS.items():
        for start, end in find(text):
            if not any(start < b and a < end for a, b in found):
                found[start, end] = kind
    return dict(sorted(found.items()))


def hits(text: str) -> list[Hit]:
    """What in a text may name a person, a firm or an address, in reading order, each once, at most five."""
    found = [Hit(kind, first_seen(text[a:b].strip(), SHOWN)) for (a, b), kind in places(text).items()]
    return list(dict.fromkeys(found))[:MOST]


def _emails(text: str) -> list[Span]:
    return [m.span() for m in _EMAIL.finditer(text)]


def _urls(text: str) -> list[Span]:
    # A link into this CRM names a record, nobody else.
    return [m.span() for m in _URL.finditer(text) if "/crm/" not in m.group()]


def _phones(text: str) -> list[Span]:
    """Nine to fifteen digits in groups, or with a leading 0 or +; dates and record numbers are none."""
    found = []
    for m in _PHONE.finditer(text):
        number = m.group()
        digits = sum(c.isdigit() for c in number)
        grouped = len(re.findall(r"\d+", number)) > 1
        if 9 <= digits <= 15 and (grouped or number[0] in "+0") and not _DATE.search(number):
            found.append(m.span())
    return found


def _companies(text: str) -> list[Span]:
    """The capitalised words before an ending, with it."""
    found = []
    for m in _COMPANY.finditer(text):
        words = list(re.finditer(r"\S+", m.group()))
        first = len(words) - 1
        while first > 0 and (words[first - 1].group()[0].isupper() or words[first - 1].group() in ("&", "and", "und")):
            first -= 1
        while first < len(words) - 1 and not words[first].group()[0].isupper():
            first += 1
        if first < len(words) - 1:
            found.append((m.start() + words[first].start(), m.end()))
    return found


def _people(text: str) -> list[Span]:
    return [m.span() for m in _PERSON.finditer(text) if m.group(1)[0].isupper()]


_FINDERS: Mapping[str, Callable[[str], list[Span]]] = {
    "email": _emails,
    "url": _urls,
    "phone": _phones,
    "company": _companies,
    "person": _people,
}
