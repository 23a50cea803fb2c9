"""What a participant types as an answer, made one shape; what is wrong with it, said so that it can be put right.

Pure: no database. ``Problem`` texts never say whether an answer is right (M8).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from study.accounts.typed_text import seen_length, visible_text
from study.benchmark.grading import MONTHS, STATES
from study.benchmark.tasks import FACTORS, STAGES
from study.sandbox.engine.ids import normal_id

LONGEST = 20_000
"""Characters of one text. Longer ones are refused with a message, never cut."""
MOST_RECORDS = 50
CONFIDENCES = tuple(range(0, 101, 10))
CHOICES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "month": tuple((month, month) for month in MONTHS),
    "state": tuple((code, f"{name} ({code})") for code, name in sorted(STATES.items(), key=lambda pair: pair[1])),
    "stage": tuple((stage, stage) for stage in STAGES),
    "factors": tuple((factor, factor) for factor in FACTORS),
}
SEVERAL = frozenset({"records", "factors"})
IDS = frozenset({"record", "records"})


class BadValue(ValueError):
    """A value that cannot be kept as it is; the text is for the person who typed it."""


class TooLong(BadValue):
    """A text longer than fits; it is never cut."""


@dataclass(frozen=True)
class Draft:
    """An answer under way, as stored in ``Attempt.draft``."""

    answer: tuple[str, ...] = ()
    none: bool = False
    withheld: bool = False
    confidence: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "answer": list(self.answer),
            "none": self.none,
            "withheld": self.withheld,
            "confidence": self.confidence,
        }

    @property
    def outcome(self) -> str:
        """The outcome it would have: none, withheld, answered, or empty while nothing is given."""
        if self.none:
            return "none"
        if self.withheld:
            return "withheld"
        return "answered" if self.answer else ""


def typed(text: object, *, longest: int = LONGEST) -> str:
    """A typed text as it is kept. Raises BadValue when it is no text or too long."""
    if not isinstance(text, str):
        raise BadValue(_("This is not a text."))
    kept = visible_text(text)
    # Counted as the eye counts; an end there is all the same, or one letter could carry a million marks.
    if len(kept) > longest and (seen_length(kept) > longest or len(kept) > 4 * longest):
        raise TooLong(
            _("This text has %(n)s characters; %(most)s is the most that fits. Nothing was cut; make it shorter.")
            % {"n": f"{max(seen_length(kept), len(kept) // 4):,}", "most": f"{longest:,}"}
        )
    return kept


def draft_from(value: object, kind: str) -> Draft:
    """A draft from JSON ``{answer, none, withheld, confidence}``. Raises BadValue. Half-typed answers are kept."""
    if not isinstance(value, dict):
        raise BadValue(_("This is not an answer."))
    given = value.get("answer") or []
    texts = given if isinstance(given, list) else [given]
    if len(texts) > MOST_RECORDS:
        raise BadValue(_("%(most)s records are the most an answer can hold.") % {"most": MOST_RECORDS})
    answer = tuple(dict.fromkeys(part for part in (typed(text) for text in texts) if part.strip()))
    if kind not in SEVERAL:
        answer = answer[:1]
    none, withheld = value.get("none") is True, value.get("withheld") is True
    return Draft(answer, none, withheld and not none, confidence_from(value.get("confidence")))


def confidence_from(value: object) -> int | None:
    """0 to 100 in steps of ten; None while not given. Raises BadValue for anything else."""
    if value is None or value == "":
        return None
    text = str(value)
    if not re.fullmatch(r"\d{1,3}", text) or int(text) not in CONFIDENCES:
        raise BadValue(_("Choose one of the eleven steps from 0 to 100."))
    return int(text)


def ids_in(text: str) -> tuple[str, ...]:
    """What may be Ids in a typed or pasted text, as typed, in order."""
    return tuple(part for part in re.split(r"[\s,;]+", text.strip()) if part)


def id_problem(text: str, exists: Callable[[str], bool]) -> str:
    """What is wrong with a typed Id; empty when a record of this Org has it."""
    if not re.fullmatch(r"[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?", text):
        if len(text) not in (15, 18):
            return _(
                "This Id has %(n)s characters; an Id here has 15 or 18. Copy it again with the button beside it."
            ) % {"n": len(text)}
        return _("An Id here has letters and digits only. Copy it again with the button beside it.")
    normal = normal_id(text)
    if normal is None or not exists(normal):
        return _("No record here has this Id. Check that you copied it from this CRM.")
    return ""


def final_answer(draft: Draft, kind: str, exists: Callable[[str], bool]) -> list[str]:
    """The answer to store from a draft with an answer. Raises BadValue with the first thing to put right."""
    if kind in IDS:
        typed_ids = [part for text in draft.answer for part in ids_in(text)]
        for text in typed_ids:
            if problem := id_problem(text, exists):
                raise BadValue(problem)
        return list(dict.fromkeys(normal_id(text) or text for text in typed_ids))
    if kind in CHOICES:
        known = {code for code, _label in CHOICES[kind]}
        if wrong := [text for text in draft.answer if text not in known]:
            raise BadValue(_("“%(text)s” is not in the list. Choose from it.") % {"text": wrong[0][:60]})
    return list(draft.answer)
