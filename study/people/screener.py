"""The screener: its questions, and the one decision that its first answers make."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from study.people.flows import become_eligible, end, lock_cohort
from study.people.items import Filled, draw_orders
from study.people.models import Cohort, End, Participant, Screening
from study.people.sample.quotas import cell_of
from study.protocols.parts import Item
from study.protocols.schema import ProtocolFile

# Later tries are kept so that researchers see them; more than this adds nothing.
MOST_TRIES = 6


def items_of(file: ProtocolFile) -> tuple[Item, ...]:
    """The screener's own questions, then those of modules placed there."""
    return file.screener.items + tuple(item for module in file.modules_at("screener") for item in module.items)


def orders_for(participant: Participant, file: ProtocolFile) -> dict[str, list[str]]:
    """Random per person, the same at every opening of the page; stored with the answers."""
    return draw_orders(items_of(file), f"{participant.code}:{file.screener.eligibility.version}")


def submit(participant: Participant, file: ProtocolFile, filled: Filled) -> None:
    """Store one submission. The first decides; a later one is kept beside it and changes nothing (P-11).

    The same answers again are the same submission (a double click). The caller
    has made sure that nothing is missing.
    """
    with transaction.atomic():
        cohort = lock_cohort(participant.cohort_id)
        earlier = list(Screening.objects.filter(participant=participant).order_by("number"))
        if any(row.answers == filled.answers for row in earlier) or len(earlier) >= MOST_TRIES:
            participant.refresh_from_db()
            return
        eligible = file.eligible(filled.answers)
        try:
            with transaction.atomic():
                Screening.objects.create(
                    participant=participant,
                    number=len(earlier) + 1,
                    answers=filled.answers,
                    order_shown=orders_for(participant, file),
                    rule_version=file.screener.eligibility.version,
                    eligible=eligible,
                )
        except IntegrityError:
            participant.refresh_from_db()
            return
        if earlier:
            return
        _note_relations(participant, file, filled)
        _note_cell(participant, cohort, filled)
        if not eligible:
            end(participant, End.SCREENED_OUT, f"rule {file.screener.eligibility.version}")
        else:
            become_eligible(participant, cohort, "after the screener")


def _note_relations(participant: Participant, file: ProtocolFile, filled: Filled) -> None:
    """Conflict of interest and acquaintance stand on the participant; they are facts for the analysis, not gates."""
    uses = ("conflict", "independence")
    said = {item.use: filled.answers.get(item.id, "") for item in items_of(file) if item.use in uses}
    participant.conflict = str(said.get("conflict", ""))[:20]
    participant.knows_other = str(said.get("independence", ""))[:20]
    participant.save(update_fields=["conflict", "knows_other"])


def _note_cell(participant: Participant, cohort: Cohort, filled: Filled) -> None:
    """The cell of the quota is decided here and by these answers, whatever is sent later (P-11)."""
    participant.cell = cell_of(cohort.quota_axes, filled.answers)
    participant.save(update_fields=["cell"])
