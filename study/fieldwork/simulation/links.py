"""What simulated experts answer after the lock where the answer hangs together with who they are (instrument 2.8).

Stated links: one's own system is scored like an object of effect ``OWN_EFFECT`` with the same severity; a card loses
``PER_GRADE`` for each size of its fault, a dossier of the control Org ``SHUFFLED``; in a pair the record of the Org is
taken with the chance of ``ORG_PREFERRED``; coverage is drawn from ``COVERAGE``. All else is drawn evenly.
"""

from __future__ import annotations

import random
from typing import Any

from study.fieldwork.simulation.experts import Expert
from study.protocols.parts import Item

OWN_EFFECT = 1.35
CARD_EFFECT, PER_GRADE, SHUFFLED = 0.9, 0.7, 1.1
ORG_PREFERRED = 0.68
COVERAGE = {"fully": 0.5, "software_only": 0.15, "records_missing": 0.15, "links_missing": 0.12, "cannot_say": 0.08}
OWN, COVERED = "own_", "coverage_"
LINKS = {
    "own_effect": OWN_EFFECT, "card_effect": CARD_EFFECT, "per_grade": PER_GRADE, "shuffled": SHUFFLED,
    "org_preferred": ORG_PREFERRED, "coverage": COVERAGE,
}  # fmt: skip


def linked_answer(item: Item, expert: Expert) -> str | None:
    """The code an expert chooses where a link is stated; None where there is none."""
    if item.type != "single":
        return None
    if item.id.startswith(OWN) and len(item.codes) >= 5:
        return item.codes[expert.score(item.id, OWN_EFFECT) - 1] if "neutral" in item.codes else None
    if item.id.startswith(COVERED) and set(COVERAGE) <= set(item.codes):
        return expert.draw(item.id).choices(list(COVERAGE), list(COVERAGE.values()))[0]
    return None


def card_choice(expert: Expert, target: str, kind: str, detail: dict[str, Any], draw: random.Random) -> str:
    """What an expert chooses on a card; ``detail`` is what stands behind it, which no page tells."""
    if draw.random() < expert.rates.cannot_judge:
        return "cannot_judge"
    if kind == "pairs":
        org_first = detail["first"]["origin"] == "org"
        return "1" if (draw.random() < ORG_PREFERRED) == org_first else "2"
    worse = PER_GRADE * int(detail.get("grade") or 0) + (SHUFFLED if detail.get("origin") == "control" else 0)
    return str(expert.score(target, CARD_EFFECT - worse))
