"""The log of deviations: opens at the first freeze, grows by lines, and is never rewritten (M14)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.protocols.models import Deviation, Protocol, ProtocolState
from study.protocols.schema import ProtocolFile

MOST = 4000
_counts: list[Callable[[Study], int]] = []


def who_takes_part(count: Callable[[Study], int]) -> Callable[[Study], int]:
    """``people`` tells how many have agreed to take part; protocols know nobody."""
    if count not in _counts:
        _counts.append(count)
    return count


def taking_part(study: Study) -> int:
    """How many people have agreed to take part so far."""
    return sum(count(study) for count in _counts)


def newest_frozen(study: Study) -> Protocol | None:
    return Protocol.objects.filter(study=study, state=ProtocolState.FROZEN).order_by("-number").first()


def changed_sections(before: ProtocolFile, after: ProtocolFile) -> tuple[str, ...]:
    """The sections of the file that differ, in file order."""
    return tuple(name for name in type(after).model_fields if getattr(before, name) != getattr(after, name))


@transaction.atomic
def add(study: Study, *, happened_on: date, what: str, why: str, by: User | None) -> Deviation:
    """One more line. Raises ValidationError before the first freeze, for empty texts, or a day to come.

    Whether ratings could be seen by then is the system's to say, not the author's.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    frozen = newest_frozen(study)
    what, why = what.strip(), why.strip()
    if frozen is None:
        raise ValidationError(
            _("The log opens when the protocol is frozen; until then there is nothing to deviate from.")
        )
    if not what or not why:
        raise ValidationError(_("Write both: what was done otherwise, and why."))
    if max(len(what), len(why)) > MOST:
        raise ValidationError(_("At most %(n)d characters each.") % {"n": MOST})
    if happened_on > timezone.now().date():
        raise ValidationError(_("This day is still to come."))
    last = Deviation.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0
    row = Deviation.objects.create(
        study=study,
        number=last + 1,
        happened_on=happened_on,
        what=what,
        why=why,
        after_unblinding=not study.blind,
        protocol_number=frozen.number,
        by=by,
    )
    audit("deviation.added", by=by, study=study, target=f"deviation {row.number}")
    return row


def note_freeze(study: Study, before: Protocol, frozen: Protocol, why: str, by: User | None) -> Deviation | None:
    """A further version after people took part is a deviation by itself; None where nobody had."""
    people = taking_part(study)
    if not people:
        return None
    sections = ", ".join(changed_sections(before.value, frozen.value)) or _("comments only")
    what = _(
        "Protocol %(new)d was frozen after people had agreed to take part (%(people)d so far) under protocol %(old)d. "
        "Changed: %(sections)s. Its sha256: %(sha256)s"
    ) % {"new": frozen.number, "people": people, "old": before.number, "sections": sections, "sha256": frozen.sha256}
    reason = why.strip()[:MOST] or _("No reason was written down at the freeze.")
    return add(study, happened_on=timezone.now().date(), what=what, why=reason, by=by)
