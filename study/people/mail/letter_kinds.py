"""Kinds of letters: who writes each, from which words, and whether it is still wanted when it is sent.

Two ways to register one. ``worded`` is the usual one: built-in words in a text template, which a study may replace by
its own, and a function that gives the values of their places. ``letter_kind`` is for a letter that nobody rewrites.
An app that knows more than this one registers its kinds in ``AppConfig.ready``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from django.core.mail import EmailMessage
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.people.models import Letter

Text = str | Promise
Write = Callable[[Letter], EmailMessage]
Values = Callable[[Letter], dict[str, str]]
Wanted = Callable[[Letter], bool]


@dataclass(frozen=True)
class Place:
    """A name in braces that is filled in: what stands there, and an invented value for the preview."""

    name: str
    told: Text
    sample: Text = ""


# Known in every letter that has words; their values come from the protocol and the cohort.
COMMON = (
    Place("title", _("the public title of the study")),
    Place("minutes", _("how long it takes")),
    Place("visits", _("how often people come; empty where everybody comes once")),
    Place("pay", _("the thank-you for a complete hour")),
    Place("need", _("what they need")),
    Place("team", _("who runs the study")),
    Place("contact", _("the address for questions")),
)
LINK = Place("link", _("their own link"), "/i/3kQ0vYtR8mWcX1/")
OPEN = _("Open")
UNTIL = Place("until", _("the last day of their link"))


@dataclass(frozen=True)
class Words:
    """The built-in words of a kind and what a study may do with them.

    ``template`` is a text template that gets every place as itself (``{link}``), so that built-in words and a study's
    own are filled in one way. ``subject`` has its places as ``%(title)s``. ``button``: what a line that holds only the
    link is called where it is drawn as a button.
    """

    label: Text
    told: Text
    template: str
    subject: Text
    places: tuple[Place, ...] = (LINK,)
    needed: tuple[str, ...] = ("link",)
    button: Text = OPEN

    @property
    def known(self) -> tuple[Place, ...]:
        return (*self.places, *COMMON)


@dataclass(frozen=True)
class Kind:
    """How one kind of letter is written, and whether it is still wanted: asked again at the moment of sending."""

    name: str
    wanted: Wanted
    while_closed: bool = False
    """Sent to people who have begun, so a pause of the cohort does not hold it back."""
    unasked: bool = False
    """The person did not ask for it: it says how to get no more, and goes to nobody who did (RFC 8058)."""
    by_day: bool = False
    """Goes at decent hours of the person's day only."""
    write: Write | None = None
    words: Words | None = field(default=None, repr=False)
    values: Values | None = None


_kinds: dict[str, Kind] = {}


def letter_kind(name: str, *, wanted: Wanted, while_closed: bool = False) -> Callable[[Write], Write]:
    """Register who writes a kind of letter that has no words to change."""

    def register(write: Write) -> Write:
        _kinds[name] = Kind(name, wanted, while_closed, write=write)
        return write

    return register


def worded(
    name: str,
    words: Words,
    *,
    wanted: Wanted,
    while_closed: bool = False,
    unasked: bool = False,
    by_day: bool = False,
) -> Callable[[Values], Values]:
    """Register a kind whose words a study may change; the function gives the values of ``words.places``.

    A place without a value takes its whole line with it, so an optional fact stands on a line of its own.
    """

    def register(values: Values) -> Values:
        _kinds[name] = Kind(name, wanted, while_closed, unasked, by_day, words=words, values=values)
        return values

    return register


def kind_of(name: str) -> Kind:
    """Raises KeyError for a kind that no app has registered."""
    return _kinds[name]


def kinds() -> Iterator[Kind]:
    yield from _kinds.values()


def worded_kinds() -> dict[str, Words]:
    """The kinds whose words can be changed, by name, in the order they were registered."""
    return {name: kind.words for name, kind in _kinds.items() if kind.words}


def label_of(name: str) -> str:
    """A kind in words; its own name where nobody has said."""
    kind = _kinds.get(name)
    return str(kind.words.label) if kind and kind.words else name.replace("_", " ")


def names_where(test: Callable[[Kind], bool]) -> list[str]:
    return [name for name, kind in _kinds.items() if test(kind)]
