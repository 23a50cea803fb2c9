"""Sending an answer from a form: the draft is saved first, then the attempt may end. Shared by page and dock."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.fieldwork import saving, working
from study.fieldwork.answers import IDS, SEVERAL, BadValue, Draft, draft_from, final_answer, ids_in
from study.fieldwork.models import Attempt, Outcome
from study.people.protocol import file_of
from study.sandbox.opened import snapshot_of


@dataclass(frozen=True)
class Sent:
    """What a form brought: the draft, the version it began from, its save id, a reason for skipping."""

    draft: Draft
    base: int
    save_id: str
    reason: str = ""


def as_typed(form: QueryDict, attempt: Attempt) -> dict[str, Any]:
    """The draft as the form held it, before anything is checked, so that nothing typed is lost from the page."""
    kind = attempt.place.instance.answer_type
    texts = [text for text in form.getlist("answer") if text.strip()]
    if kind in IDS:
        texts = [part for text in texts for part in ids_in(text)]
        texts = texts if kind in SEVERAL else [" ".join(texts)] if texts else []
    mark = form.get("mark", "")
    return {
        "answer": texts,
        "none": mark == "none",
        "withheld": mark == "withheld",
        "confidence": form.get("confidence") or None,
    }


def with_record(attempt: Attempt, record: str) -> dict[str, Any]:
    """The stored draft with a record's page as the answer: pressed on purpose, so it replaces what was there."""
    several = attempt.place.instance.answer_type in SEVERAL
    kept = attempt.draft.get("answer") or [] if several else []
    return {"answer": [*dict.fromkeys([*kept, record])], "none": False, "withheld": False,
            "confidence": attempt.draft.get("confidence")}  # fmt: skip


def read_form(attempt: Attempt, form: QueryDict) -> Sent:
    """Raises BadValue for what cannot be kept."""
    used, version = form.get("use", ""), form.get("version", "")
    value = with_record(attempt, used) if used else as_typed(form, attempt)
    return Sent(
        draft=draft_from(value, attempt.place.instance.answer_type),
        base=attempt.version if used else saving.version_in(version, attempt.version),
        save_id=form.get("save_id") or uuid.uuid4().hex,
        reason=form.get("reason", ""),
    )


def send(attempt: Attempt, sent: Sent, act: str) -> None:
    """Save the draft; ``next`` and ``skip`` then end the attempt.

    Raises BadValue with what to put right, Stale where another tab has saved
    since, Closed when the attempt was over already.
    """
    visit = attempt.visit
    saving.save(
        visit, field=f"attempt/{attempt.position}", value=sent.draft.to_json(), base=sent.base, save_id=sent.save_id
    )
    if act == "skip":
        known = {reason.code for reason in file_of(visit.protocol).work.skip_reasons}
        if sent.reason not in known:
            raise BadValue(_("Say in one click why you skip it."))
        working.finish_attempt(attempt, Outcome.SKIPPED, confidence=None, reason=sent.reason)
    elif act == "next":
        _finish(attempt, sent.draft)


def _finish(attempt: Attempt, draft: Draft) -> None:
    kind = attempt.place.instance.answer_type
    if not draft.outcome:
        raise BadValue(_("There is no answer yet. Give one, choose “%(none)s”, or skip the question.") % {
            "none": file_of(attempt.visit.protocol).work.none_label
        })  # fmt: skip
    snapshot = snapshot_of(attempt.visit.org)
    answer = None
    if draft.outcome == Outcome.ANSWERED:
        answer = final_answer(draft, kind, lambda one: bool(snapshot.names([one])))
    working.finish_attempt(attempt, draft.outcome, answer=answer, confidence=draft.confidence)
