"""Someone to ask in the dock, where the question of an attempt holds something back (M19).

What is withheld and in which style is drawn once, from the visit's seed, when the attempt's desk is opened. What the
requester answers is worked out in ``study/benchmark/requester``; here it is kept, one row a turn.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from study.accounts.typed_text import visible_text
from study.assignment.models import Visit
from study.benchmark.models import Instance
from study.benchmark.requester import Style, measures
from study.benchmark.requester.talking import Kind, Lines, Talk, Telling, has_form
from study.fieldwork.answers import BadValue, TooLong
from study.fieldwork.models import Attempt, RequesterTurn
from study.fieldwork.saving import SAVE_ID
from study.fieldwork.slots import Closed
from study.people.items import LONGEST
from study.people.protocol import file_of
from study.protocols.hour import Requester
from study.protocols.parts import Item

MOST_TURNS = 200
NOTHING = "none"


@dataclass
class Chat:
    """What the dock shows of a talk: the protocol's words, the turns so far, and a save id for the next one."""

    requester: Requester
    turns: list[RequesterTurn]
    save_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    typed: str = ""
    problem: str = ""


def requester_of(visit: Visit) -> Requester | None:
    return file_of(visit.protocol).work.requester


def drawn(visit: Visit, position: int, instance: Instance) -> tuple[str, str]:
    """What an attempt withholds and in which style its requester answers; both empty without a requester.

    Of the protocol's kinds only those the instance is written in take part; with none of them nothing is withheld,
    and then there is nobody to ask.
    """
    requester = requester_of(visit)
    if requester is None:
        return "", ""
    draw = random.Random(f"{visit.seed}:requester:{position}")  # noqa: S311 a draw that can be repeated, not a secret
    kinds = [kind for kind in requester.withhold if kind == NOTHING or has_form(instance.forms, kind)]
    withhold, style = draw.choice(kinds or [NOTHING]), draw.choice(requester.styles)
    return withhold, "" if withhold == NOTHING else style


def hides(attempt: Attempt) -> bool:
    """Whether this attempt's question holds something back, so that there is somebody to ask."""
    return bool(attempt.style) and has_form(attempt.place.instance.forms, attempt.withhold)


def question_text(attempt: Attempt) -> str:
    """The question as this attempt opens it."""
    instance = attempt.place.instance
    return (
        measures.opening(instance.forms, attempt.withhold, instance.question) if hides(attempt) else instance.question
    )


def definitions_text(attempt: Attempt) -> str:
    """The definitions shown with it: those this attempt withholds are left out."""
    instance = attempt.place.instance
    if not hides(attempt):
        return instance.definitions
    return measures.shown_definitions(instance.forms, attempt.withhold, instance.definitions)


def chat_of(attempt: Attempt) -> Chat | None:
    """The talk of an attempt; None where there is nobody to ask."""
    requester = requester_of(attempt.visit)
    if requester is None or not hides(attempt):
        return None
    return Chat(requester, list(attempt.turns.all()))


def tellings_of(turns: Iterable[RequesterTurn]) -> list[Telling]:
    """What has been told, from the stored pairs of place and manner."""
    return [Telling(int(place), str(manner)) for turn in turns for place, manner in turn.given]


@transaction.atomic
def ask(attempt: Attempt, text: str, save_id: str, *, form: bool = False) -> RequesterTurn:
    """Keep one question with its reply. The same ``save_id`` again gives the turn it made the first time.

    A ``form`` got back by the Back button has the id of before: another question in it is another turn.

    Raises Closed when the attempt is over or hides nothing, BadValue for an empty question, TooLong.
    """
    if not SAVE_ID.fullmatch(save_id):
        raise BadValue(_("This save has no id."))
    row = Attempt.objects.select_for_update(no_key=True).select_related("place__instance").get(pk=attempt.pk)
    row.visit = attempt.visit
    asked = visible_text(text).strip()
    earlier = row.turns.filter(save_id=save_id).first()
    if form and earlier is not None and asked and earlier.asked != asked:
        save_id = uuid.uuid5(uuid.NAMESPACE_OID, f"{save_id} {asked}").hex
        earlier = row.turns.filter(save_id=save_id).first()
    if earlier is not None:
        return earlier
    requester, turns = requester_of(row.visit), list(row.turns.all())
    if requester is None or not hides(row) or row.outcome or not row.started_at or len(turns) >= MOST_TURNS:
        raise Closed(_("Nobody can be asked here any more."))
    if not asked:
        raise BadValue(_("Type a question first."))
    if len(asked) > LONGEST:
        raise TooLong(_("This text is longer than fits. Nothing was cut; make it shorter."))
    talk = Talk(row.place.instance.forms, row.withhold, cast("Style", row.style), tellings_of(turns))
    turn = talk.ask(asked, Lines(requester.not_understood, requester.nothing_more))
    return RequesterTurn.objects.create(
        attempt=row,
        number=(row.turns.aggregate(last=Max("number"))["last"] or 0) + 1,
        asked=asked,
        kind=turn.kind,
        topics=list(turn.topics),
        given=[[one.place, one.manner] for one in turn.tellings],
        reply=turn.reply,
        save_id=save_id,
    )


def items_about(attempt: Attempt) -> list[Item]:
    """What is asked about the requester after an attempt in which there was somebody to ask."""
    requester = requester_of(attempt.visit)
    return [requester.rating] if requester and requester.rating and hides(attempt) else []


def measures_of(attempt: Attempt) -> dict[str, Any]:
    """The bundle's columns of an attempt's talk; blank where the protocol has no requester."""
    if not attempt.withhold:
        return dict.fromkeys(measures.COLUMNS)
    turns = list(attempt.turns.all())
    pairs = [(cast("Kind", turn.kind), tellings_of([turn])) for turn in turns]
    return dict(measures.measured(attempt.place.instance.forms, attempt.withhold, pairs))
