"""Texts of participants before they are released or quoted (M20): read one by one, masked where they identify.

The originals stay as they were typed, for those who may see the data, and follow erasing. A mask is a place in a text;
a review says that somebody has read exactly this text. A text that changed since has to be read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.encrypted import keyed_hash
from study.accounts.models import Study, User
from study.accounts.typed_text import visible_text
from study.assignment.models import Visit
from study.fieldwork.hinting import Span, places
from study.fieldwork.modules import items_of
from study.people.consenting.consent import agreed
from study.people.models import counted
from study.protocols.parts import RATHER_NOT
from study.results.models import TextMask, TextReview

QUOTATIONS = "quotations"
MASKED = "[…]"
"""What stands for words that are not released."""


@dataclass(frozen=True)
class Text:
    """One text as its writer left it. ``source`` and ``row`` find it again; ``about``: what was asked."""

    source: str
    row: int
    visit: str
    about: str
    text: str
    masks: tuple[Span, ...]
    read: bool
    quotable: bool = False
    """Whether its writer stands by "my sentences may be quoted" now; taken back, it holds at once (P-44)."""

    @property
    def sha256(self) -> str:
        return sha256_of(self.text)

    @property
    def token(self) -> str:
        """A name that says nothing of writer, arm or time."""
        return keyed_hash("redaction", f"{self.source}:{self.row}")[:16]

    @property
    def hits(self) -> dict[Span, str]:
        return places(self.text)

    @property
    def open_hits(self) -> int:
        """Places that may name somebody and are not masked."""
        return sum(not any(a <= start and end <= b for a, b in self.masks) for start, end in self.hits)

    @property
    def released(self) -> str:
        return masked(self.text, self.masks)


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def united(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same characters as spans that neither overlap nor touch, in reading order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def masked(text: str, spans: Iterable[Span]) -> str:
    """The text with each masked place as ``[…]``, however long it was.

    >>> masked("I work at Acme Ltd in Leeds", [(10, 18), (22, 27)])
    'I work at […] in […]'
    """
    marks = united(spans)
    edges = [0, *(edge for span in marks for edge in span), len(text)]
    kept = [text[a:b] for a, b in pairwise(edges)][::2]
    return MASKED.join(kept)


def occurrences(text: str, words: str) -> list[Span]:
    """Every place where these words stand, whatever the case; a name written twice is masked twice.

    >>> occurrences("Acme and ACME", "acme")
    [(0, 4), (9, 13)]
    """
    found, low, sought = [], text.lower(), words.lower()
    # Some letters grow when lowered; then places no longer fit and only the exact spelling is looked for.
    if len(low) != len(text) or len(sought) != len(words):
        low, sought = text, words
    start = low.find(sought)
    while sought and start >= 0:
        found.append((start, start + len(sought)))
        start = low.find(sought, start + len(sought))
    return found


def texts(study: Study) -> list[Text]:
    """Every free text a release holds: rationales, answers in words, notes, closing answers; nothing taken out.

    In an order that says nothing of people: those with places to look at first.
    """
    visits = (
        Visit.objects.filter(participant__study=study, **counted("participant"))
        .exclude(participant__data_choice="take_out")
        .select_related("participant", "protocol")
        .prefetch_related("ratings__rationales", "attempts__place__instance", "notes", "closing")
        .prefetch_related("participant__consents__choices")
    )
    masks: dict[tuple[str, int], list[Span]] = {}
    for mask in TextMask.objects.filter(study=study):
        masks.setdefault((mask.source, mask.row), []).append((mask.start, mask.end))
    reviews = {(one.source, one.row): one.sha256 for one in TextReview.objects.filter(study=study)}
    found = []
    for visit in visits:
        name = f"{visit.participant.code}-{visit.period}"
        quotable = agreed(visit.participant, QUOTATIONS)
        for source, row, about, text in _of_visit(visit):
            own = tuple(span for span in united(masks.get((source, row), ())) if span[1] <= len(text))
            known = reviews.get((source, row)) == sha256_of(text)
            found.append(Text(source, row, name, about, text, own, known, quotable))
    return sorted(found, key=lambda one: (one.open_hits == 0, one.token))


def _of_visit(visit: Visit) -> Iterator[tuple[str, int, str, str]]:
    for rating in visit.ratings.all():
        for rationale in rating.rationales.all():
            if rationale.text.strip():
                yield (
                    "rationale",
                    rationale.pk,
                    _("Reason for a rating: %(what)s") % {"what": rating.target},
                    rationale.text,
                )
    for attempt in visit.attempts.all():
        if attempt.place.instance.answer_type == "text":
            given = attempt.answer if isinstance(attempt.answer, list) else [attempt.answer]
            for n, text in enumerate(given):
                if isinstance(text, str) and text.strip():
                    yield f"answer.{n}", attempt.pk, _("Answer in words"), text
    for note in visit.notes.all():
        yield "note", note.pk, _("Note taken during the work"), note.text
    items = items_of(visit)
    for answer in visit.closing.all():
        item = items.get(answer.item)
        codes = {*item.codes, *map(str, item.points), RATHER_NOT} if item else {RATHER_NOT}
        for n, text in enumerate(_strings(answer.value)):
            if text.strip() and text not in codes:
                yield f"closing.{n}", answer.pk, item.text if item else answer.item, text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _strings(value[key])


def released_texts(study: Study) -> dict[tuple[str, str], str]:
    """Each text of a visit as typed and as released. What is masked in one of two equal texts is masked in both."""
    spans: dict[tuple[str, str], list[Span]] = {}
    for one in texts(study):
        spans.setdefault((one.visit, one.text), []).extend(one.masks)
    return {(visit, text): masked(text, marks) for (visit, text), marks in spans.items()}


def unread(study: Study) -> int:
    """How many texts nobody has read since they were last changed: a release waits for them."""
    return sum(not one.read for one in texts(study))


@transaction.atomic
def settle(study: Study, text: Text, words: Iterable[str], *, sha256: str, by: User) -> None:
    """Mask these words wherever they stand in one text, nothing else, and count the text as read.

    Raises ValidationError for a text that has changed since it was shown, and for words that do not stand in it.
    """
    if sha256 != text.sha256:
        raise ValidationError(_("The text has changed since you opened it. Read it again."))
    spans: list[Span] = []
    for line in words:
        sought = visible_text(line).strip()
        if not sought:
            continue
        found = occurrences(text.text, sought)
        if not found:
            raise ValidationError(_("“%(words)s” does not stand in this text. Copy it from there.") % {"words": sought})
        spans += found
    TextMask.objects.filter(study=study, source=text.source, row=text.row).delete()
    TextMask.objects.bulk_create(
        TextMask(study=study, source=text.source, row=text.row, start=a, end=b, by=by) for a, b in united(spans)
    )
    TextReview.objects.update_or_create(
        source=text.source, row=text.row, defaults={"study": study, "sha256": text.sha256, "by": by}
    )
    audit("text.read", by=by, study=study, target=text.token, masks=len(united(spans)))
