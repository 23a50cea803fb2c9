"""The panel's list beside ours: who agrees, who does not and how; each disagreement is settled in words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.models import Cohort, Contact, End, PanelFile, PanelRow
from study.people.needs_me import Need, source
from study.people.sample.places import lock_cohort
from study.people.ways.arrivals import erased_marks, panel_hash
from study.people.ways.panel_files import AND, meaning, submissions
from study.people.ways.panels import OUTCOME_OF, OUTCOMES, Panel, panel_of
from study.people.ways.spreadsheets import read_table, write_table

NOT_LISTED = "not in the list"
KINDS = {
    "not_here": gettext_lazy("Complete there, not here"),
    "not_there": gettext_lazy("Complete here, not there"),
    "code": gettext_lazy("Another code"),
    "outcome": gettext_lazy("Another outcome"),
    "unknown": gettext_lazy("Id unknown here"),
    "twice": gettext_lazy("There twice"),
    "agree": gettext_lazy("Agree"),
}


@dataclass(frozen=True)
class Ours:
    """One of our people by panel id: code, stage and outcome (empty while going on)."""

    code: str
    outcome: str
    ended_at: datetime | None
    panel_code: str
    """What they were shown on their last page."""


@dataclass(frozen=True)
class Compared:
    """One id, both sides. ``mark`` is the keyed hash by which it is settled."""

    mark: str
    kind: str
    ours: Ours | None
    theirs: PanelRow | None
    status: str

    @property
    def settled(self) -> str:
        return self.theirs.settled if self.theirs else ""

    @property
    def label(self) -> str:
        return str(KINDS[self.kind])

    @property
    def ours_words(self) -> str:
        return str(OUTCOMES.get(self.ours.outcome, self.ours.outcome)) if self.ours else ""


def upload(cohort: Cohort, *, file_name: str, content: bytes, by: User | None) -> tuple[PanelFile, bool]:
    """Take in the panel's file; False for one that was taken in before (P-08). Raises Refusal, ValidationError.

    The newest file's word about an id holds; what was settled stays settled unless the panel says something else now.
    """
    panel = panel_of(cohort)
    if panel is None:
        raise ValidationError(_("Say first which panel these people come from."))
    found = submissions(panel, read_table(content))
    digest = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        # One file at a time: two that name the same new ids would each make their rows.
        lock_cohort(cohort.pk)
        file, made = PanelFile.objects.get_or_create(
            cohort=cohort, sha256=digest, defaults={"file_name": file_name[-120:], "by": by}
        )
        if not made:
            return file, False
        kept = {row.panel_hash: row for row in cohort.panel_rows.all()}
        marked = [(panel_hash(cohort, panel, one.id), one) for one in found]
        gone = erased_marks(cohort, [mark for mark, _one in marked])
        new = []
        for mark, one in marked:
            if mark in gone:
                continue
            row = kept.get(mark) or PanelRow(cohort=cohort, panel_id=one.id, panel_hash=mark)
            if (row.status, row.code) != (one.status, one.code):
                row.settled = ""
            row.file, row.status, row.code = file, one.status, one.code
            row.started_at, row.finished_at = one.started, one.finished
            new.append(row)
        changes = ["file", "status", "code", "started_at", "finished_at", "settled"]
        PanelRow.objects.bulk_create([row for row in new if row.pk is None], batch_size=500)
        PanelRow.objects.bulk_update([row for row in new if row.pk is not None], changes, batch_size=200)
        audit("panel.file", by=by, study=cohort.study, target=f"cohort {cohort.code}", n=len(new))
    return file, True


def compared(cohort: Cohort) -> list[Compared]:
    """Everybody on either side, disagreements first. Empty before the first file."""
    panel = panel_of(cohort)
    if panel is None or not cohort.panel_files.exists():
        return []
    ours = _ours(cohort, panel)
    theirs = {row.panel_hash: row for row in cohort.panel_rows.defer("panel_id")}
    found = [_compare(panel, mark, ours.get(mark), theirs.get(mark)) for mark in {**theirs, **ours}]
    order = list(KINDS)
    return sorted(found, key=lambda one: (order.index(one.kind), bool(one.settled), one.ours.code if one.ours else ""))


def _ours(cohort: Cohort, panel: Panel) -> dict[str, Ours]:
    rows = Contact.objects.filter(participant__cohort=cohort, participant__preview=False).exclude(panel_hash="")
    found = {}
    for contact in rows.select_related("participant").defer("email", "name", "phone", "notes", "panel_id"):
        one = contact.participant
        outcome = OUTCOME_OF.get(End(one.end), one.end) if one.end else ""
        shown = panel.codes.get(outcome) or one.completion_code
        found[contact.panel_hash] = Ours(one.code, outcome, one.ended_at, shown)
    return found


def _compare(panel: Panel, mark: str, ours: Ours | None, theirs: PanelRow | None) -> Compared:
    listed = theirs is not None and theirs.status != NOT_LISTED
    status = meaning(panel, theirs.status) if theirs is not None and listed else ""
    kind = kind_of(ours, status, theirs.code if theirs and listed else "", listed)
    if kind == "agree" and theirs is not None and AND in theirs.status:
        kind = "twice"
    return Compared(mark, kind, ours, theirs, status)


def kind_of(ours: Ours | None, status: str, code: str, listed: bool) -> str:
    """What is between the two sides about one id. ``status``: the panel's, in our words.

    People who were screened out, found it full or left hand their place back at many panels, so "returned" agrees
    with every outcome but a complete one; a code says more than a status.
    """
    if ours is None:
        return "unknown"
    if ours.outcome == "complete":
        if status not in ("complete", "rejected"):
            return "not_there"
        return "agree" if not code or code == ours.panel_code else "code"
    if not listed or status in ("returned", ""):
        return "agree"
    if status == "complete":
        # Handed in there with the code of another outcome: that is how these panels are told of it.
        return "agree" if ours.outcome and code == ours.panel_code else "not_here"
    if status == "screened_out":
        return "agree" if ours.outcome in ("screened_out", "full", "no_consent", "withdrawn") else "outcome"
    if status == "timed_out":
        return "agree" if ours.outcome in ("time_up", "withdrawn", "no_consent") else "outcome"
    if status == "going":
        return "outcome" if ours.outcome == "time_up" else "agree"
    return "agree"


@transaction.atomic
def settle(cohort: Cohort, mark: str, words: str, *, by: User | None) -> bool:
    """Say what became of a disagreement. False for an id on neither side. Raises ValidationError without words."""
    said = " ".join(words.split())
    if not said or len(said) > 200:
        raise ValidationError(_("Say in up to 200 characters what became of it."))
    lock_cohort(cohort.pk)
    file = cohort.panel_files.order_by("-pk").first()
    known = {one.mark for one in compared(cohort)}
    if file is None or mark not in known:
        return False
    row = cohort.panel_rows.filter(panel_hash=mark).first()
    if row is None:
        contact = Contact.objects.get(panel_hash=mark)
        row = PanelRow(cohort=cohort, file=file, panel_id=contact.panel_id, panel_hash=mark, status=NOT_LISTED)
    row.settled = said
    row.save()
    code = Contact.objects.filter(panel_hash=mark).values_list("participant__code", flat=True).first()
    audit("panel.settled", by=by, study=cohort.study, target=code or f"cohort {cohort.code}")
    return True


def differences(rows: list[Compared]) -> bytes:
    """Everything but what agrees, as CSV: with the panel's ids, so for coordinators alone."""
    ids = dict(PanelRow.objects.filter(panel_hash__in=[one.mark for one in rows]).values_list("panel_hash", "panel_id"))
    ids |= dict(Contact.objects.filter(panel_hash__in=[one.mark for one in rows]).values_list("panel_hash", "panel_id"))
    head = [
        "difference",
        "panel_id",
        "participant",
        "outcome_here",
        "code_here",
        "status_there",
        "code_there",
        "settled",
    ]
    return write_table(head, [list(_line(one, ids)) for one in rows if one.kind != "agree"])


def _line(one: Compared, ids: dict[str, str]) -> Iterator[object]:
    yield from (one.kind, ids.get(one.mark, ""))
    yield from (one.ours.code, one.ours.outcome or "going on", one.ours.panel_code) if one.ours else ("", "", "")
    yield from (one.theirs.status, one.theirs.code) if one.theirs else ("", "")
    yield one.settled


@source("panel")
def disagreements(study: Study) -> Iterator[Need]:
    """One case per participant, and one per cohort for ids that nobody here has."""
    for cohort in study.cohorts.exclude(panel={}):
        open_ones = [one for one in compared(cohort) if one.kind != "agree" and not one.settled]
        url = reverse("panel_reconcile", args=[study.code, cohort.code])
        act = _("Compare the lists")
        for one in open_ones:
            if one.ours:
                text = _("Panel and platform disagree: %(how)s") % {"how": one.label}
                detail = one.theirs.status if one.theirs else _("not in the panel's list")
                yield Need("panel", text, detail, url, act, one.ours.ended_at, one.ours.code)
        if strangers := sum(1 for one in open_ones if one.ours is None):
            text = _("The panel lists ids that nobody here has")
            yield Need("panel", text, _("%(n)d in %(cohort)s") % {"n": strangers, "cohort": cohort.name}, url, act)
