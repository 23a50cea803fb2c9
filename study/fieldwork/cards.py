"""Cards of a visit: which it was given, in which order, what stands on each, and whether all are rated (M5, M6).

Drawn from the visit's seed when the module is first opened, after the lock, and stored. A set or an Org that is gone
gives no cards: nothing optional holds a code back.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from study.assignment.models import Visit
from study.assignment.orgs import resolve
from study.fieldwork.anchors import CannotMake, reference_set
from study.fieldwork.card_faces import Face, face
from study.fieldwork.models import Card, CardSet, CardShown, Rating, RatingKind
from study.people.protocol import file_of
from study.protocols.hour import Cards, Module
from study.sandbox.dossiers import Dossier, dossier, dossiers
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for
from study.sandbox.sheets import some_ids

log = logging.getLogger(__name__)
PAIRS, DOSSIERS, ANCHORS, REFERENCE = "pairs", "dossiers", "anchors", "reference"
Detail = dict[str, Any]
TRIES = 40


class NoCards(Exception):
    """What a module's cards are drawn from is not there; the text says what."""


def cards_of(visit: Visit, module: Module) -> list[CardShown]:
    """The module's cards in this person's order; drawn and stored at the first call."""
    if module.cards is None:
        return []
    kept = list(visit.cards_shown.filter(module=module.id))
    return kept or _give(visit, module.id, module.cards)


@transaction.atomic
def _give(visit: Visit, module: str, part: Cards) -> list[CardShown]:
    Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    if kept := list(visit.cards_shown.filter(module=module)):
        return kept
    try:
        details = _drawn(visit, module, part)
    except (NoCards, CannotMake, SnapshotError, ValueError) as error:
        log.warning("No %s for visit %s: %s", part.kind, visit.pk, error)
        return []
    made = [
        CardShown(visit=visit, module=module, kind=part.kind, position=n, target=f"{module}_{n}", detail=detail)
        for n, detail in enumerate(details, start=1)
    ]
    kind = RatingKind.PAIR if part.kind == PAIRS else RatingKind.RECORD
    Rating.objects.bulk_create(Rating(visit=visit, kind=kind, target=one.target, position=one.position) for one in made)
    return CardShown.objects.bulk_create(made)


def _drawn(visit: Visit, module: str, part: Cards) -> list[Detail]:
    draw = random.Random(f"{visit.seed} {module}")  # noqa: S311 reproducible on purpose
    if part.kind == REFERENCE:
        return _from_set(reference_set(), draw, None)
    if part.kind == ANCHORS:
        found = CardSet.objects.filter(name=part.card_set).first()
        if found is None:
            raise NoCards(f"there is no set {part.card_set}")
        return _from_set(found, draw, part.count)
    control = resolve(part.control or "", visit.participant.study)
    if control is None:
        raise NoCards(f"{part.control} is not loaded")
    if part.kind == DOSSIERS:
        return _dossiers(*whole_and_control(visit.org, control), visit.seed, part.count)
    return list(_pairs(visit, control, part.count // 2, draw))


def _from_set(found: CardSet, draw: random.Random, count: int | None) -> list[Detail]:
    """``count`` cards, half of them without a fault as far as there are; None: all of them."""
    cards = list(found.cards.all())
    if count is not None and count < len(cards):
        good, bad = [c for c in cards if not c.grade], [c for c in cards if c.grade]
        half = max(count // 2, count - len(bad))
        good, bad = (
            draw.sample(good, min(half, len(good))),
            draw.sample(bad, min(count - min(half, len(good)), len(bad))),
        )
        cards = good + bad
    draw.shuffle(cards)
    return [
        {"card_set": found.name, "sha256": found.sha256, "card": one.key, "object": one.object, "fault": one.fault,
         "grade": one.grade}
        for one in cards
    ]  # fmt: skip


def whole_and_control(org: Org, control: Org) -> tuple[Org, Org]:
    """The Org and its control, whichever the visit is in. Raises NoCards where neither is the other's."""
    if control.manifest.get("parent") == org.hash:
        return org, control
    if org.manifest.get("parent") == control.hash:
        return control, org
    raise NoCards(f"{control.name} is no control of {org.name}")


def _dossiers(org: Org, control: Org, seed: int, count: int) -> list[Detail]:
    of = {"org": org, "control": control}
    found = dossiers(snapshot_for(org), snapshot_for(control), abs(seed), count)
    return [
        {"origin": one.origin, "org": of[one.origin].hash, "object": one.object, "record": one.record.id}
        for one in found
    ]


def _pairs(visit: Visit, control: Org, count: int, draw: random.Random) -> Iterator[Detail]:
    """Two records of one kind, one of each Org, the sides drawn at random; no record twice."""
    own, other = snapshot_for(visit.org), snapshot_for(control)
    kinds = [api for api in visit.object_order if own.counts.get(api) and other.counts.get(api)]
    if not kinds:
        raise NoCards(f"{visit.org.name} and {control.name} have no kind of record in common")
    draw.shuffle(kinds)
    taken: set[str] = set()
    for place in range(count):
        kind = kinds[place % len(kinds)]
        sides: list[Detail] = []
        for origin, org, snapshot in (("org", visit.org, own), ("control", control, other)):
            ids = some_ids(snapshot, kind)
            record = next((one for one in (draw.choice(ids) for _ in range(TRIES)) if one not in taken), ids[0])
            taken.add(record)
            sides.append({"origin": origin, "org": org.hash, "object": kind, "record": record})
        draw.shuffle(sides)
        yield {"first": sides[0], "second": sides[1]}


@dataclass(frozen=True)
class Shown:
    """What a page shows of one card; exactly one of the three is there."""

    face: Face | None = None
    dossier: Dossier | None = None
    pair: tuple[Face, Face] | None = None


def shown(card: CardShown) -> Shown | None:
    """The card's content; None when what it was drawn from can't be read any more."""
    try:
        if card.kind in (ANCHORS, REFERENCE):
            stored = Card.objects.get(card_set__name=card.detail["card_set"], key=card.detail["card"])
            return Shown(face=stored.content)
        if card.kind == DOSSIERS:
            return Shown(dossier=dossier(_snapshot(card.detail), card.detail["object"], card.detail["record"]))
        return Shown(pair=(_face(card.detail["first"]), _face(card.detail["second"])))
    except (Card.DoesNotExist, Org.DoesNotExist, SnapshotError, LookupError) as error:
        log.warning("Card %s of visit %s cannot be shown: %s", card.target, card.visit_id, error)
        return None


def _snapshot(detail: Detail) -> Snapshot:
    return snapshot_for(Org.objects.get(hash=detail["org"]))


def _face(detail: Detail) -> Face:
    snapshot = _snapshot(detail)
    record = snapshot.record(detail["object"], detail["record"])
    if record is None:
        raise LookupError(detail["record"])
    return face(snapshot, snapshot.registry.object(detail["object"]), record)


def kind_of_record(card: CardShown) -> str:
    """How the card's kind of record is called in the protocol, else by its API name."""
    api = str(card.detail.get("object") or card.detail.get("first", {}).get("object") or "")
    labels = {text.api: text.label for text in file_of(card.visit.protocol).objects}
    return labels.get(api, api.removesuffix("__c"))


def rating_of(card: CardShown) -> Rating:
    return Rating.objects.get(visit=card.visit_id, kind__in=[RatingKind.RECORD, RatingKind.PAIR], target=card.target)


def open_card(visit: Visit, module: Module) -> int | None:
    """The position of the first card without an answer; None when all have one."""
    cards = cards_of(visit, module)
    rated = set(
        visit.ratings.filter(kind__in=[RatingKind.RECORD, RatingKind.PAIR])
        .exclude(final="")
        .values_list("target", flat=True)
    )
    return next((card.position for card in cards if card.target not in rated), None)


def show_card(card: CardShown) -> None:
    """Remember when the card was first on a screen."""
    now = timezone.now()
    if CardShown.objects.filter(pk=card.pk, shown_at=None).update(shown_at=now):
        rating = rating_of(card)
        Rating.objects.filter(pk=rating.pk, shown_at=None).update(shown_at=now)


def lock_cards(visit: Visit) -> None:
    """From the end of the visit its card ratings stay as they are."""
    rows = visit.ratings.filter(kind__in=[RatingKind.RECORD, RatingKind.PAIR], locked_at=None)
    rows.update(locked_at=timezone.now())
