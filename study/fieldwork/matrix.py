"""The published form: the Org and all objects as rows of one page, the options as columns. Same rows, same saves."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork import card_pages, ratings, saving
from study.fieldwork.answers import BadValue
from study.fieldwork.card_pages import CardForm, CardPage, Names
from study.fieldwork.models import Rating, RatingKind
from study.fieldwork.slots import Closed
from study.people.protocol import file_of
from study.protocols.hour import ScaleOption
from study.protocols.markup import fill


@dataclass(frozen=True)
class Block:
    """Rows that share a question and its options: the Org alone, then the objects."""

    ident: str
    title: str
    stem: str
    options: list[tuple[str, ScaleOption]]
    rows: list[CardPage]


@dataclass
class Posted:
    """What came of a posted matrix, by target: refusals in words, hints, names to ask about, characters left out."""

    problems: dict[str, str]
    hints: dict[str, str]
    names: dict[str, Names]
    left_out: int = 0

    @property
    def asks(self) -> bool:
        return bool(self.hints or self.names)


def prefix_of(row: Rating) -> str:
    return f"{row.target}."


def blocks(visit: Visit, data: QueryDict | None = None, posted: Posted | None = None) -> list[Block]:
    """The page; with ``data`` what was just typed stays in it."""
    part = file_of(visit.protocol).rating
    rows: dict[str, list[CardPage]] = {RatingKind.ORG: [], RatingKind.OBJECT: []}
    said = posted or Posted({}, {}, {})
    for row in ratings.prepare(visit):
        form = CardForm(data, prefix_of(row)) if data is not None else None
        problem, hint = said.problems.get(row.target, ""), said.hints.get(row.target, "")
        page = card_pages.card_page(
            row, form, prefix=prefix_of(row), names=said.names.get(row.target), problem=problem, hint=hint
        )
        rows[row.kind].append(page)
    every = {"object": _("record"), "objects": _("records of each kind")}
    org = list(zip(ratings.POINTS, part.org.options, strict=True))
    objects = list(zip(ratings.POINTS, part.object.options, strict=True))
    return [
        Block("whole", _("The CRM as a whole"), part.org.stem, org, rows[RatingKind.ORG]),
        Block("kinds", _("Kinds of record"), fill(part.object.stem, **every), objects, rows[RatingKind.OBJECT]),
    ]


def take(visit: Visit, data: QueryDict) -> Posted:
    """Save everything a posted matrix holds; a row that is refused keeps none of the others from being saved."""
    done = Posted({}, {}, {})
    for row in ratings.prepare(visit):
        form = CardForm(data, prefix_of(row))
        try:
            card_pages.keep(row, form)
        except saving.Stale as stale:
            words = _("Another tab has saved something else: %(stored)s. Yours stands here; send it again to keep it.")
            done.problems[row.target] = words % {"stored": card_pages.in_words(row, stale.stored.value)}
        except (BadValue, Closed) as refused:
            done.problems[row.target] = str(refused)
        done.left_out += card_pages.unseen_in(row, form)
    return done


def ask(visit: Visit, done: Posted, hinted: bool) -> Posted:
    """What is asked once before going on."""
    for row in ratings.cards_of(visit):
        if names := card_pages.names_to_ask(row):
            done.names[row.target] = names
        if not hinted and (hint := card_pages.short_hint(row)):
            done.hints[row.target] = hint
    return done
