"""Rationales as researchers read them: by object, newest rating last, with score and what was opened."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from study.accounts.models import Study
from study.fieldwork.models import Rating, RatingKind
from study.people.models import counted
from study.people.protocol import file_of, newest_frozen
from study.protocols.hour import SCALE_LABELS

PAGE = 40


@dataclass(frozen=True)
class Choice:
    code: str
    label: str
    n: int


def rated(study: Study) -> QuerySet[Rating]:
    """Locked ratings of people who count; nothing of what was taken out."""
    return (
        Rating.objects.filter(visit__participant__study=study, locked_at__isnull=False, **counted("visit__participant"))
        .exclude(visit__participant__data_choice="take_out")
        .exclude(final="")
    )


def targets(study: Study) -> list[Choice]:
    """What was rated, with how many texts there are about it: the Org first, then objects by name."""
    rows = rated(study).order_by("kind", "target").values_list("kind", "target", "rationales__text")
    counts: dict[tuple[bool, str], int] = {}
    for kind, target, text in rows:
        key = (kind != RatingKind.ORG, target)
        counts[key] = counts.get(key, 0) + bool(text)
    names = labels(study)
    return [Choice(target, names.get(target, target), n) for (_is_object, target), n in sorted(counts.items())]


def labels(study: Study) -> dict[str, str]:
    """What the protocol calls each object; the Org is called as on the cards."""
    protocol = newest_frozen(study.pk)
    return {text.api: text.label for text in file_of(protocol).objects} if protocol else {}


def find(study: Study, *, target: str, score: str, words: str) -> QuerySet[Rating]:
    """Ratings with words, filtered. Unknown filter values find nothing; they are not errors."""
    found = rated(study).filter(rationales__text__gt="")
    if target:
        found = found.filter(target=target)
    if score:
        found = found.filter(final=score)
    if words.strip():
        found = found.filter(Q(rationales__text__icontains=words.strip()))
    return (
        found.distinct()
        .select_related("visit__participant")
        .prefetch_related("rationales", "visit__participant__consents__choices")
        .order_by("kind", "target", "visit__participant__code")
    )


def label_of(final: str) -> str:
    return SCALE_LABELS[int(final) - 1] if final.isdecimal() else final.replace("_", " ")
