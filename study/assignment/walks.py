"""Walks of staff through the hour: that one reached its end is kept in the log, since the walk itself is deleted."""

from __future__ import annotations

from django.db.models import QuerySet

from study.accounts.audit import audit
from study.accounts.models import AuditRow, Study
from study.people.models import End, Participant
from study.protocols.models import Protocol

FINISHED = "preview.finished"


def _target(protocol: Protocol) -> str:
    return f"protocol {protocol.number}"


def note_finished(participant: Participant) -> None:
    """At every end: a preview that came through is written down, with the protocol it walked."""
    if not participant.preview or participant.end != End.COMPLETE:
        return
    visit = participant.visits.select_related("protocol").order_by("-period").first()
    if visit is not None:
        target = _target(visit.protocol)
        audit(FINISHED, by=participant.user, study=participant.study, target=target, arm=participant.arm)


def finished_walks(study: Study, protocol: Protocol) -> QuerySet[AuditRow]:
    return AuditRow.objects.filter(study=study, act=FINISHED, target=_target(protocol))
