"""The audit log for the eye: acts in words, filters, and CSV lines. It holds no contact, token or panel id (P-40)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.accounts.models import AuditRow, Membership, Study

HEADER = ("id", "at", "who", "act", "study", "target", "detail", "seal")
# Signs that a spreadsheet may take for the beginning of a formula; the rule of docs/decisions/0003.
GUARDED = ("=", "+", "-", "@", "\t", "\r", "'")

ACTS: Mapping[str, str | Promise] = {
    "allocation.committed": _("Allocation committed"),
    "answers.taken_out": _("Answers taken out"),
    "audit.exported": _("Audit log exported"),
    "bundle.exported": _("Data package exported"),
    "bundle.downloaded": _("Data package downloaded"),
    "cohort.opened": _("Cohort opened"),
    "cohort.changed": _("Cohort changed"),
    "cohort.created": _("Cohort made"),
    "cohort.quota": _("Quota cells set"),
    "contacts.announced": _("Deletion of contacts announced"),
    "contacts.deleted": _("Contacts deleted"),
    "contacts.limit_set": _("Day set on which contacts are deleted"),
    "contacts.viewed": _("Contacts seen"),
    "deviations.looked": _("Deviations looked through"),
    "erasure.asked": _("Erasure asked for"),
    "erasure.confirmed": _("Erasure ordered"),
    "erasure.done": _("Erasure done"),
    "erasure.failed": _("Erasure did not finish"),
    "help.replied": _("Call for help answered"),
    "instance.key_changed": _("Key of an instance changed"),
    "instances.imported": _("Instances imported"),
    "incident.began": _("Incident began"),
    "incident.over": _("Incident over"),
    "letter.again": _("Letter sent again"),
    "letter.resent": _("Link sent once more"),
    "link.renewed": _("Link of a cohort renewed"),
    "list.bad_rows": _("Rows to correct downloaded"),
    "list.brought": _("List of people brought in"),
    "list.confirmed": _("List of people confirmed"),
    "list.dropped": _("List of people forgotten"),
    "marking.markers_set": _("Markers chosen"),
    "member.added": _("Member added"),
    "member.changed": _("Role changed"),
    "member.removed": _("Member taken out"),
    "org.deleted": _("Org deleted"),
    "org.downloaded": _("Org downloaded"),
    "org.exported": _("Org exported"),
    "org.generated": _("Org made"),
    "org.loaded": _("Org loaded"),
    "org.uploaded": _("Org uploaded"),
    "look.taken": _("Planned look taken"),
    "panel.differences": _("Differences to a panel downloaded"),
    "panel.file": _("List of a panel taken in"),
    "panel.removed": _("Panel taken away"),
    "panel.set": _("Panel set up"),
    "panel.settled": _("Difference to a panel settled"),
    "pay.approved": _("Payments approved"),
    "pay.back": _("Payment due again"),
    "pay.batch": _("Payments handed over"),
    "pay.cancelled": _("Payment cancelled"),
    "pay.downloaded": _("File of payments downloaded"),
    "pay.extra": _("Extra payment entered"),
    "pay.fault": _("Paid in full after a fault"),
    "pay.four_eyes": _("Second approval switched"),
    "pay.imported": _("What was paid read in"),
    "pay.rules": _("Amounts changed"),
    "pay.settled": _("Batch marked as paid"),
    "people.codes_exported": _("Codes exported"),
    "people.invited": _("People invited"),
    "people.invited_again": _("Invited again"),
    "people.reminded": _("People reminded"),
    "people.revoked": _("Invitation of a participant withdrawn"),
    "person.noted": _("Notes written"),
    "preview.finished": _("Walk through as a participant, to the end"),
    "preview.started": _("Walk through as a participant"),
    "protocol.frozen": _("Protocol frozen"),
    "protocol.saved": _("Protocol saved"),
    "release.downloaded": _("Release downloaded"),
    "release.made": _("Release made"),
    "replay.viewed": _("Replay watched"),
    "report.downloaded": _("Report downloaded"),
    "report.made": _("Report made"),
    "report.read": _("Report read"),
    "second_factor.added": _("Second factor set up"),
    "second_factor.removed": _("Second factor removed"),
    "session.ended": _("Session ended"),
    "signin_link.made": _("Sign-in link printed"),
    "signin_link.used": _("Sign-in link used"),
    "staff.invitation_withdrawn": _("Staff invitation withdrawn"),
    "staff.invited": _("Staff invited"),
    "staff.joined": _("Staff invitation accepted"),
    "study.archived": _("Study archived"),
    "study.closed": _("Study closed"),
    "study.copied": _("Study copied"),
    "study.created": _("Study created"),
    "study.duplicated": _("Study made from another"),
    "study.regraded": _("Answers graded again"),
    "study.reopened": _("Closing taken back"),
    "study.unarchived": _("Study taken back from the archive"),
    "study.unblinded": _("Ratings opened"),
    "subject_access.exported": _("What is held about somebody handed over"),
    "text.mark_undone": _("Mark taken back"),
    "text.marked": _("Text marked"),
    "trace.downloaded": _("Trace downloaded"),
    "trace.exported": _("Traces exported"),
    "wave.added": _("Reminder added"),
    "wave.changed": _("Reminder changed"),
}


def words_for(act: str) -> str:
    """An act in words; one without words of its own reads as it is written: "Payment, batch approved"."""
    if act in ACTS:
        return str(ACTS[act])
    return act.replace(".", ", ").replace("_", " ").capitalize()


def chosen(study: Study | None, *, act: str = "", who: str = "", day: str = "", target: str = "") -> QuerySet[AuditRow]:
    """The rows of one study (of all, for an operator), the newest first. A day that is none is left out."""
    rows = AuditRow.objects.select_related("seal").order_by("-pk")
    if study is not None:
        rows = rows.filter(study_code=study.code)
    if act:
        rows = rows.filter(act=act)
    if who:
        rows = rows.filter(actor_label=who)
    if target.strip():
        rows = rows.filter(target__icontains=target.strip()[:120])
    if begin := day_of(day):
        rows = rows.filter(at__gte=begin, at__lt=begin + timedelta(days=1))
    return rows


def day_of(text: str) -> datetime | None:
    """The beginning of a day in UTC, as the log counts days."""
    try:
        return datetime.combine(date.fromisoformat(text.strip()), datetime.min.time(), tzinfo=UTC)
    except ValueError:
        return None


def names(study: Study) -> dict[str, str]:
    """Names of the staff by their label in the log. Others, participants among them, stay labels."""
    rows = Membership.objects.filter(study=study).exclude(user__name="").values_list("user_id", "user__name")
    return {f"user {pk}": name for pk, name in rows}


def detail_of(row: AuditRow) -> str:
    """What a row adds, as "key: value" in one line."""
    return " · ".join(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in row.detail.items())


def _plain(value: object) -> str:
    """Lists and tables without the signs of the file they are kept in."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_plain(one)}" for name, one in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "–"
    return value if isinstance(value, str) else "–" if value is None else json.dumps(value, ensure_ascii=False)


def cell(text: str) -> str:
    """One cell of a CSV line: guarded against formulas, quoted where it must be."""
    text = "'" + text if text.startswith(GUARDED) else text
    quoted = any(sign in text for sign in ',"\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if quoted else text


def csv_lines(rows: Iterable[AuditRow]) -> Iterator[str]:
    yield ",".join(HEADER) + "\n"
    for row in rows:
        detail = json.dumps(row.detail, ensure_ascii=False, sort_keys=True)
        seal = str(row.seal.number) if row.seal else ""
        at = row.at.astimezone(UTC).isoformat(timespec="seconds")
        cells = (str(row.pk), at, row.actor_label, row.act, row.study_code, row.target, detail, seal)
        yield ",".join(map(cell, cells)) + "\n"
