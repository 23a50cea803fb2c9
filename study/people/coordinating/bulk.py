"""Acts on many people at once: who would be meant, who is left out and why, and the act itself.

Each act asks every person again at the moment it is done, so a double press, or a state that has changed since the
confirmation, does nothing twice.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.coordinating import roster
from study.people.flows import is_over
from study.people.mail import reminding
from study.people.models import Contact, Letter, Participant, ParticipantQuerySet, Stage, Suppression
from study.people.ways import inviting_again
from study.people.ways.invitations import revoke

MOST = 5000
REMINDER = "reminder_"
WAITED_FOR = (Stage.INVITED, Stage.JOINED, Stage.ELIGIBLE, Stage.CONSENTED, Stage.WORKING, Stage.RATING)
NOT_TWICE_WITHIN = timedelta(hours=24)
PAUSED = "paused"


@dataclass(frozen=True)
class Act:
    """``why_not`` says why a person is left out, empty for one who is meant; ``do`` returns how many it reached."""

    label: Promise
    explained: Promise
    button: Promise
    why_not: Callable[[Participant], str]
    do: Callable[[Sequence[Participant], User], int] | None


@dataclass(frozen=True)
class Plan:
    act: str
    what: Act
    meant: tuple[Participant, ...]
    left_out: tuple[tuple[Participant, str], ...]

    @property
    def codes(self) -> str:
        return " ".join(one.code for one in self.meant)

    @property
    def reasons(self) -> list[tuple[str, list[str]]]:
        """Each reason with the codes it holds for."""
        found: dict[str, list[str]] = {}
        for one, why in self.left_out:
            found.setdefault(why, []).append(one.code)
        return list(found.items())


def _no_letters(one: Participant) -> str:
    contact = getattr(one, "contact", None)
    if one.erased_at:
        return _("erased")
    if contact is None or not contact.email_hash:
        return _("no address; came by an open link or a panel")
    if contact.unsubscribed_at:
        return _("asked not to be written to")
    if contact.bounced_at:
        return _("the address refuses letters")
    if getattr(one, "suppressed", ""):
        return _("letters are paused") if one.suppressed == PAUSED else _("not to be written to")  # type: ignore[attr-defined]
    return ""


def _why_no_reminder(one: Participant) -> str:
    now = timezone.now()
    if one.end or one.excluded_at:
        return _("has ended")
    if why := _no_letters(one):
        return why
    if not reminding.going(one.cohort, now):
        return _("the cohort stands still")
    if one.stage == Stage.INVITED and _invitation_state(one):
        return _invitation_state(one)
    if one.stage not in WAITED_FOR:
        return _("there is nothing to remind of")
    if any(row.kind.startswith(REMINDER) and _moment(row) > now - NOT_TWICE_WITHIN for row in one.letters.all()):
        return _("reminded within the last 24 hours")
    return ""


def _moment(letter: Letter) -> datetime:
    return letter.sent_at or letter.due_at


def _invitation_state(one: Participant) -> str:
    row = getattr(one, "invitation", None)
    if row is None:
        return _("was not invited by address")
    if row.revoked_at:
        return _("the invitation was taken back")
    if row.declined_at:
        return _("said no")
    if row.expires_at <= timezone.now():
        return _("the invitation has run out; invite again")
    return ""


def remind(people: Sequence[Participant], by: User) -> int:
    return reminding.remind(people, by=by).put


def each(do: Callable[[Participant, User], bool]) -> Callable[[Sequence[Participant], User], int]:
    """An act on one person as an act on many."""
    return lambda people, by: sum(do(one, by) for one in people)


def _why_not_revoked(one: Participant) -> str:
    row = getattr(one, "invitation", None)
    if one.end:
        return _("has ended")
    if one.stage != Stage.INVITED or row is None:
        return _("takes part already") if one.joined_at else _("was not invited by address")
    return _("the invitation was taken back") if row.revoked_at else ""


def _why_not_again(one: Participant) -> str:
    row = getattr(one, "invitation", None)
    if row is None or one.stage != Stage.INVITED or one.joined_at or row.used_at:
        return _("takes part already") if one.joined_at else _("was not invited by address")
    if why := _no_letters(one):
        return why
    if row.declined_at:
        return _("said no; only one by one, when they ask for it")
    if not row.revoked_at and row.expires_at > timezone.now():
        return _("the invitation still holds; remind instead")
    return _("the cohort is closed") if is_over(one.cohort) else ""


def _again(one: Participant, by: User) -> bool:
    try:
        return inviting_again.invite_again(one, by=by)
    except ValidationError:  # no place is left by now, or somebody else was quicker
        return False


def _why_not_paused(one: Participant) -> str:
    return _no_letters(one)


@transaction.atomic
def pause_letters(one: Participant, by: User) -> bool:
    """No letter goes to this person until they are taken up again; what waits is dropped when its time comes."""
    contact = Contact.objects.filter(participant=one).exclude(email_hash="").first()
    if contact is None:
        return False
    _row, made = Suppression.objects.get_or_create(
        study_id=one.study_id, email_hash=contact.email_hash, defaults={"reason": PAUSED}
    )
    return made


def _why_not_resumed(one: Participant) -> str:
    return "" if getattr(one, "suppressed", "") == PAUSED else _("letters are not paused")


@transaction.atomic
def resume_letters(one: Participant, by: User) -> bool:
    hashes = Contact.objects.filter(participant=one).exclude(email_hash="").values("email_hash")
    gone, _rows = Suppression.objects.filter(study_id=one.study_id, reason=PAUSED, email_hash__in=hashes).delete()
    return bool(gone)


ACTS: dict[str, Act] = {
    "remind": Act(
        gettext_lazy("Remind"),
        gettext_lazy("Each gets one reminder by mail, in their language, with the way back to where they are."),
        gettext_lazy("Send the reminders"),
        _why_no_reminder,
        remind,
    ),
    "invite_again": Act(
        gettext_lazy("Invite again"),
        gettext_lazy("Each gets a new link by mail, and the old one stops working."),
        gettext_lazy("Invite them again"),
        _why_not_again,
        each(_again),
    ),
    "revoke": Act(
        gettext_lazy("Take invitations back"),
        gettext_lazy("Their links stop working at once, and letters that wait are dropped."),
        gettext_lazy("Take these invitations back"),
        _why_not_revoked,
        each(lambda one, by: revoke(one, by=by)),
    ),
    "pause_letters": Act(
        gettext_lazy("Pause letters"),
        gettext_lazy("No reminder and no other letter goes to them until letters are taken up again."),
        gettext_lazy("Pause their letters"),
        _why_not_paused,
        each(pause_letters),
    ),
    "resume_letters": Act(
        gettext_lazy("Take letters up again"),
        gettext_lazy("They get letters again, from the next one on."),
        gettext_lazy("Take their letters up again"),
        _why_not_resumed,
        each(resume_letters),
    ),
    "codes": Act(
        gettext_lazy("List of codes (CSV)"),
        gettext_lazy("A file with code, cohort, stage, end and completion code. No address, name or panel id."),
        gettext_lazy("Download the list"),
        lambda one: "",
        None,
    ),
}


def loaded(study: Study, codes: Iterable[str]) -> list[Participant]:
    """These people with all that the acts ask of them, in three queries however many there are."""
    rows: ParticipantQuerySet = Participant.objects.people().filter(study=study, code__in=list(codes)[:MOST])
    # An address itself is never needed to decide.
    rows = rows.select_related("cohort", "study", "contact", "invitation").defer(*roster.SEALED)
    people = list(rows.prefetch_related("letters").order_by("code"))
    reasons = dict(Suppression.objects.filter(study=study).values_list("email_hash", "reason"))
    for one in people:
        contact = getattr(one, "contact", None)
        one.suppressed = reasons.get(contact.email_hash, "") if contact else ""  # type: ignore[attr-defined]
    return people


def plan(study: Study, act: str, codes: Iterable[str]) -> Plan:
    """Who would be meant and who not. Changes nothing. KeyError for an act there is none of."""
    what = ACTS[act]
    told = [(one, what.why_not(one)) for one in loaded(study, codes)]
    meant = tuple(one for one, why in told if not why)
    return Plan(act, what, meant, tuple((one, why) for one, why in told if why))


def carry_out(study: Study, act: str, codes: Iterable[str], *, by: User) -> int:
    """Do it to everybody who is meant now; how many it reached. One row in the audit log for the whole."""
    found = plan(study, act, codes)
    do = found.what.do
    if do is None:
        raise ValueError(f"{act} is no act on people.")
    n = do(found.meant, by) if found.meant else 0
    if n:
        audit(f"people.{act}", by=by, study=study, target=f"{n} people", people=[one.code for one in found.meant])
    return n


COLUMNS = ("code", "cohort", "stage", "end", "completion_code")


def codes_csv(study: Study, codes: Iterable[str], *, by: User) -> str:
    """The list of codes; the export is in the audit log with its number of rows (P-40)."""
    people = loaded(study, codes)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in people:
        # A cohort's code may begin with a hyphen, which a spreadsheet takes for a formula (P-21).
        cohort = f"'{one.cohort.code}" if one.cohort.code.startswith("-") else one.cohort.code
        writer.writerow((one.code, cohort, one.stage, one.end, one.completion_code))
    audit("people.codes_exported", by=by, study=study, rows=len(people), columns=list(COLUMNS))
    return text.getvalue()
