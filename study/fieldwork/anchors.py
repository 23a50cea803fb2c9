"""Sets of cards: anchors made from an Org by a seed, and the fixed reference set (M6). Nothing of it enters an Org."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from study.fieldwork.card_faces import Face, face
from study.fieldwork.card_faults import FAULTS
from study.fieldwork.models import Card, CardSet
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for
from study.sandbox.sheets import some_ids

ANCHORS, REFERENCE = "anchors", "reference"
REFERENCE_SET = "reference/v1"
REFERENCE_FILE = Path(__file__).parent / "reference" / "v1.json"
REFERENCE_SHA256 = "73bcb29781ba83e711d79ad16d8d32acf8d659e27f3deeac3d9a0ee7c841de78"
"""Of the cards in canonical form: a changed card is another set, and severity could not be compared any more."""
ABOUT = ("Case", "Account", "Contact", "Opportunity", "Order", "Lead", "EmailMessage", "OpportunityLineItem",
         "QuoteLineItem", "Quote", "LiveChatTranscript", "Knowledge__kav", "Product2")  # fmt: skip
GRADES = (1, 2, 3)
TRIES = 60
MOST = 24


class CannotMake(ValueError):
    """Why no set was made, with what to do."""


@dataclass(frozen=True)
class Made:
    """One card of a set: ``grade`` 0 is a record as it is; else ``fault`` says what was done to the copy."""

    key: str
    object: str
    content: Face
    fault: str = ""
    grade: int = 0


def sha256_of(cards: Iterable[Made]) -> str:
    """Over the cards in canonical JSON, by key."""
    plain = [asdict(card) for card in sorted(cards, key=lambda card: card.key)]
    said = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()


def draw_anchors(snapshot: Snapshot, seed: int, clean: int, broken: int) -> list[Made]:
    """``broken`` altered copies, their faults and sizes in turn, and ``clean`` records of the same kinds.

    The same seed gives the same cards; no record is used twice. Raises CannotMake.
    """
    if seed < 0:
        raise CannotMake("The seed must be zero or more.")
    if not (0 < clean <= MOST and 0 < broken <= MOST):
        raise CannotMake(f"There are 1 to {MOST} clean cards, and as many broken ones.")
    draw = random.Random(f"anchors {snapshot.hash} {seed}")  # noqa: S311 reproducible on purpose
    kinds = [one for one in snapshot.registry.objects if one.name in ABOUT and snapshot.counts.get(one.name)]
    kinds.sort(key=lambda one: ABOUT.index(one.name))
    ids = {one.name: some_ids(snapshot, one.name) for one in kinds}
    used: set[str] = set()
    bad = _broken(snapshot, kinds, ids, used, draw, broken)
    good = []
    for place in range(clean):
        kind = snapshot.registry.object(bad[place % len(bad)].object)
        good.append(Made("", kind.name, face(snapshot, kind, _unused(snapshot, kind, ids, used, draw))))
    mixed = good + bad
    draw.shuffle(mixed)
    return [Made(f"card_{n:02}", one.object, one.content, one.fault, one.grade) for n, one in enumerate(mixed, start=1)]


def _broken(
    snapshot: Snapshot, kinds: list[ObjectDef], ids: dict[str, list[str]], used: set[str], draw: random.Random, n: int
) -> list[Made]:
    """Each fault and each size in turn, as far as the Org's records can carry them."""
    able = list(_able(snapshot, kinds, ids, used, draw))
    if not able:
        raise CannotMake("No record of this Org can carry any of the faults.")
    found: list[Made] = []
    for place in range(n):
        grade = GRADES[place % len(GRADES)]
        fitting = [one for one in able if one[2] == grade] or able
        counts = {one: sum(m.fault == one[0] for m in found) * 10 + sum(m.object == one[1].name for m in found)
                  for one in fitting}  # fmt: skip
        fault, kind, size = min(fitting, key=lambda one: (counts[one], able.index(one)))
        record = _altered(snapshot, kind, fault, size, ids, used, draw)
        if record is None:
            raise CannotMake(f"There are too few records of {kind.name} for {n} broken cards.")
        found.append(Made("", kind.name, face(snapshot, kind, record), fault, size))
    return found


def _able(
    snapshot: Snapshot, kinds: list[ObjectDef], ids: dict[str, list[str]], used: set[str], draw: random.Random
) -> Iterator[tuple[str, ObjectDef, int]]:
    """Which fault some record of which kind can carry at which grade."""
    for fault in FAULTS:
        for kind in kinds:
            for grade in GRADES:
                if _altered(snapshot, kind, fault, grade, ids, set(used), draw) is not None:
                    yield fault, kind, grade


def _altered(
    snapshot: Snapshot, kind: ObjectDef, fault: str, grade: int, ids: dict[str, list[str]], used: set[str],
    draw: random.Random,
) -> dict[str, Any] | None:  # fmt: skip
    """A copy of some unused record with the fault in it."""
    free = [one for one in ids[kind.name] if one not in used]
    for record_id in draw.sample(free, min(TRIES, len(free))):
        record = snapshot.record(kind.name, record_id)
        altered = FAULTS[fault](snapshot, kind, dict(record), grade, draw) if record else None
        if altered is not None and altered != record:
            used.add(record_id)
            return altered
    return None


def _unused(
    snapshot: Snapshot, kind: ObjectDef, ids: dict[str, list[str]], used: set[str], draw: random.Random
) -> dict[str, Any]:
    free = [one for one in ids[kind.name] if one not in used]
    if not free:
        raise CannotMake(f"There are too few records of {kind.name} for so many cards.")
    record_id = draw.choice(free)
    used.add(record_id)
    return snapshot.record(kind.name, record_id) or {}


@transaction.atomic
def make_anchors(org: Org, *, seed: int, clean: int, broken: int, name: str = "") -> tuple[CardSet, bool]:
    """The set of an Org and a seed, and whether it is new. A name that stands for other cards is refused."""
    made = draw_anchors(snapshot_for(org), seed, clean, broken)
    return store(name or f"anchors/{org.name[:40]}/{seed}", ANCHORS, made, org=org, seed=seed)


def store(
    name: str, kind: str, made: list[Made], *, org: Org | None = None, seed: int | None = None
) -> tuple[CardSet, bool]:
    sha256 = sha256_of(made)
    if len(name) > CardSet._meta.get_field("name").max_length:  # type: ignore[operator]
        raise CannotMake("This name is too long; 60 characters is the most.")
    found, new = CardSet.objects.get_or_create(
        name=name, defaults={"kind": kind, "org": org, "sha256": sha256, "seed": seed}
    )
    if not new and found.sha256 != sha256:
        raise CannotMake(f"{name} is the name of other cards. Choose another with --name.")
    if new:
        Card.objects.bulk_create(Card(card_set=found, **asdict(one)) for one in made)
    return found, new


def reference_cards() -> list[Made]:
    """The twelve reference cards, as they stand in the repository. Raises CannotMake if one was changed."""
    cards = [Made(**one) for one in json.loads(REFERENCE_FILE.read_text(encoding="utf-8"))["cards"]]
    if sha256_of(cards) != REFERENCE_SHA256:
        raise CannotMake(f"{REFERENCE_FILE.name} has been changed; these are not the cards of {REFERENCE_SET}.")
    return cards


@transaction.atomic
def reference_set() -> CardSet:
    """The reference set, loaded when it is first needed."""
    return store(REFERENCE_SET, REFERENCE, reference_cards())[0]
