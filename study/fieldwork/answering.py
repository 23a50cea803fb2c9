"""Sending an answer from a form: the draft is saved first, then the attempt may end. Shared by page and dock."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.fieldwork import noting, saving, working
from study.fieldwork.answers import IDS, SEVERAL, BadValue, Draft, draft_from, final_answer, ids_in
from study.fieldwork.models import Attempt, Outcome
from study.fieldwork.slots import Closed
from study.people.protocol import file_of
from study.sandbox.opened import snapshot_of


@dataclass(frozen=True)
class Pad:
    """The scratch pad as the form held it, with the version it began from."""

    text: str
    base: int


@dataclass(frozen=True)
class Sent:
    """What a form brought: draft, the version it began from, save id, reason for skipping, pad, a note not kept yet."""

    draft: Draft
    base: int
    save_id: str
    reason: str = ""
    pad: Pad | None = None
    note: str = ""
    note_record: str = ""


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


def without_record(value: dict[str, Any], record: str) -> dict[str, Any]:
    """What the form held without one of its records."""
    return value | {"answer": [one for one in value["answer"] if one != record]}


def read_form(attempt: Attempt, form: QueryDict) -> Sent:
    """Raises BadValue for what cannot be kept."""
    used, version = form.get("use", ""), form.get("version", "")
    value = with_record(attempt, used) if used else as_typed(form, attempt)
    if removed := form.get("remove", ""):
        value = without_record(value, removed)
    return Sent(
        draft=draft_from(value, attempt.place.instance.answer_type),
        base=attempt.version if used else saving.version_in(version, attempt.version),
        save_id=form.get("save_id") or uuid.uuid4().hex,
        reason=form.get("reason", ""),
        pad=_pad_in(attempt, form),
        note=form.get("note", ""),
        note_record=form.get("note_record", ""),
    )


def _pad_in(attempt: Attempt, form: QueryDict) -> Pad | None:
    """The pad of a form that has one; a script sends it by itself and leaves it out here."""
    if "scratch" not in form or not file_of(attempt.visit.protocol).work.scratch:
        return None
    return Pad(form.get("scratch", ""), saving.version_in(form.get("scratch_version"), attempt.scratch_version))


def send(attempt: Attempt, sent: Sent, act: str) -> None:
    """Save the draft; ``next`` and ``skip`` then end the attempt.

    Raises BadValue with what to put right, Stale where another tab has saved
    since, Closed when the attempt was over already.
    """
    keep(attempt, sent)
    if act == "skip":
        known = {reason.code for reason in file_of(attempt.visit.protocol).work.skip_reasons}
        if sent.reason not in known:
            raise BadValue(_("Say in one click why you skip it."))
        working.finish_attempt(attempt, Outcome.SKIPPED, confidence=None, reason=sent.reason)
    elif act == "next":
        _finish(attempt, sent.draft)


def keep(attempt: Attempt, sent: Sent) -> None:
    """Save what the form held. Raises Stale, Closed, BadValue; then the answer may be saved and the pad not."""
    visit, n = attempt.visit, attempt.position
    # Words in the note box are kept whatever button was pressed, and whatever becomes of the rest.
    if sent.note.strip() and noting.offered(visit):
        noting.take_note(attempt, sent.note, sent.note_record)
    saving.save(visit, field=f"attempt/{n}", value=sent.draft.to_json(), base=sent.base, save_id=sent.save_id,
                form=True)  # fmt: skip
    # An untouched pad is no text that was ever typed.
    if sent.pad is not None and (sent.pad.text or sent.pad.base):
        keep_pad(attempt, sent, sent.pad)


def keep_pad(attempt: Attempt, sent: Sent, pad: Pad) -> None:
    saving.save(attempt.visit, field=f"scratch/{attempt.position}", value=pad.text, base=pad.base,
                save_id=f"{sent.save_id[:32]}-pad", form=True)  # fmt: skip


def keep_late(attempt: Attempt, sent: Sent) -> None:
    """Keep what a form held when its question was over; one part that is refused keeps none of the others away."""
    with suppress(BadValue, saving.Stale, Closed):
        keep(attempt, replace(sent, pad=None))
    if sent.pad is not None and (sent.pad.text or sent.pad.base):
        with suppress(BadValue, saving.Stale, Closed):
            keep_pad(attempt, sent, sent.pad)


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
