"""The registry of erasers: who forgets what about one person, told by the apps that keep it (P-43).

An app registers its erasers in ``AppConfig.ready``. Each knows two acts: ``held`` counts what it still keeps about a
subject, and ``erase`` removes it and returns how much that was. Both may run again at any time; the second run finds
nothing. ``study`` and the participant's code are all that is passed: no eraser needs to know another app.

Every column that can hold words belongs to an eraser (``columns``) or is listed with ``keeps`` and the reason why it
holds nothing of a person; a test walks all tables and fails for one that is neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from django.db import transaction

from study.accounts.models import Study

Scope = Literal["identity", "everything"]
Held = Callable[[Study, str], int]
Erase = Callable[[Study, str], int]
Note = Callable[[Study, str], str]
SHORTEST = 4
"""Shorter strings are not looked for: they stand in too much that has nothing to do with somebody."""


@dataclass(frozen=True)
class Eraser:
    """``scope``: what says who somebody is, or what they typed and chose. ``order``: files after rows, logs last.

    What names a person (contact, account) goes at 80 and later: until then it is known what to look for, also when a
    run is cut short and taken up again.
    """

    name: str
    what: str
    scope: Scope
    held: Held
    erase: Erase
    order: int = 50
    columns: tuple[str, ...] = ()
    """The text columns it empties, such as ``people.Contact.email``; ``people.Contact.*`` for all of a table."""
    note: Note | None = None
    """Something to know before confirming, empty if there is nothing."""


@dataclass(frozen=True)
class Found:
    """What one eraser still holds about a subject."""

    name: str
    what: str
    n: int
    note: str


_erasers: dict[str, Eraser] = {}
_kept: dict[str, str] = {}
_identifiers: list[Callable[[Study, str], Iterable[str]]] = []


def register(eraser: Eraser) -> Eraser:
    """Raises ValueError when another eraser has this name."""
    if _erasers.setdefault(eraser.name, eraser) is not eraser:
        raise ValueError(f"There are two erasers called {eraser.name!r}.")
    return eraser


def erasers(scope: Scope) -> Iterator[Eraser]:
    """Those that run for a scope, in their order; "everything" includes the identity."""
    for eraser in sorted(_erasers.values(), key=lambda one: (one.order, one.name)):
        if scope == "everything" or eraser.scope == "identity":
            yield eraser


def keeps(reason: str, *columns: str) -> None:
    """Text columns that stay when somebody is erased, and why they say nothing about anybody."""
    _kept.update(dict.fromkeys(columns, reason))


def kept() -> dict[str, str]:
    return dict(_kept)


def identified_by(tell: Callable[[Study, str], Iterable[str]]) -> None:
    """Register who knows what a subject is called: addresses, names, ids of panels."""
    _identifiers.append(tell)


def identifiers(study: Study, code: str) -> list[str]:
    """By what files and logs are searched for a subject, in lower case; empty once that is erased."""
    found = {text.strip().lower() for tell in _identifiers for text in tell(study, code) if text}
    return sorted(text for text in found if len(text) >= SHORTEST)


def preview(study: Study, code: str, scope: Scope) -> list[Found]:
    """What is held where. Changes nothing."""
    return [
        Found(one.name, one.what, one.held(study, code), one.note(study, code) if one.note else "")
        for one in erasers(scope)
    ]


def erase(study: Study, code: str, scope: Scope, say: Callable[[int, int, str], None]) -> dict[str, int]:
    """Run every eraser, each in a transaction of its own: cut short, it goes on where it was. How much each removed."""
    todo = list(erasers(scope))
    done: dict[str, int] = {}
    for n, one in enumerate(todo):
        say(n, len(todo), one.what)
        with transaction.atomic():
            done[one.name] = one.erase(study, code)
    return done


def left(study: Study, code: str, scope: Scope) -> dict[str, int]:
    """What is still there, by eraser; empty when all is gone."""
    return {found.name: found.n for found in preview(study, code, scope) if found.n}
