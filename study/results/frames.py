"""One set of frames: what the bundle writer writes and the pages compute on. Read in one consistent moment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Prefetch

from study.accounts.models import Study
from study.assignment.models import Visit
from study.fieldwork.models import Attempt, Rating, VisitDesk
from study.fieldwork.modules import possible_items
from study.fieldwork.sets import Sets
from study.people.consenting.consent import options_now
from study.people.models import Participant, Screening, Stage, counted
from study.people.protocol import file_of
from study.protocols.models import Protocol, ProtocolState
from study.results import rows as of
from study.results import rows_hour as of_hour
from study.results import rows_ratings as of_ratings
from study.results import rows_work as of_work
from study.results.rows import Row, VisitRows
from study.results.rows_log import deviation_rows, log_and_instances
from study.sandbox.models import Org

OF_MANIFEST = ("format", "generator", "seed", "numpy", "world", "scale")
# Closing questions tell as much: how realistic one's own system would look, what was missing (M13).
HIDDEN_WHILE_BLIND = ("ratings", "rationales", "closing", "notes")


@dataclass(frozen=True)
class Frames:
    """Rows by table, and the files that stand beside them."""

    tables: dict[str, list[Row]]
    protocol_yaml: str
    orgs: list[dict[str, Any]]
    study: dict[str, Any]
    codebook: list[Row]


def frames(study: Study, *, blind: bool) -> Frames:
    """The study's data as rows. While blind there is nothing that tells how somebody rated, or why (M13).

    Everything is read inside one transaction of the ``reader`` alias, so that
    people who save meanwhile neither wait nor appear by half (P-27).
    """
    with transaction.atomic(using=settings.READER_ALIAS):
        people = list(_people(study))
        visits = [VisitRows.of(visit) for visit in _visits(study)]
        protocol = _protocol(study)
        tables = _tables(study, people, visits, blind=blind)
        orgs = {rows.visit.org.hash: rows.visit.org for rows in visits}
        orgs |= _orgs_of_cards(tables["cards"], set(orgs))
        tables["objects"] = _objects(visits)
    if blind:
        for name in HIDDEN_WHILE_BLIND:
            tables[name] = []
    return Frames(
        tables=tables,
        protocol_yaml=protocol.text if protocol else "",
        orgs=[_org(org) for _, org in sorted(orgs.items())],
        study=_facts(study, protocol, blind=blind),
        codebook=_codebook(protocol),
    )


def _people(study: Study) -> Iterable[Participant]:
    return (
        Participant.objects.using(settings.READER_ALIAS)
        .counted()
        .filter(study=study)
        .select_related("cohort", "allocation")
        .prefetch_related("screenings", "consents__choices")
        .order_by("code")
    )


def _visits(study: Study) -> Iterable[Visit]:
    attempts = Attempt.objects.select_related("place__instance", "desk__org").prefetch_related("turns")
    ratings = Rating.objects.prefetch_related("rationales")
    desks = VisitDesk.objects.select_related("desk__org")
    return (
        Visit.objects.using(settings.READER_ALIAS)
        .filter(participant__study=study, **counted("participant"))
        .select_related("participant", "org", "protocol")
        .prefetch_related(
            Prefetch("attempts", attempts),
            Prefetch("ratings", ratings),
            Prefetch("desks", desks),
            "clocks",
            "closing",
            "pins",
            "notes",
            "moves",
            "help_requests",
            "cards_shown",
        )
        .order_by("participant__code", "period")
    )


def _protocol(study: Study) -> Protocol | None:
    frozen = Protocol.objects.using(settings.READER_ALIAS).filter(study=study, state=ProtocolState.FROZEN)
    return frozen.order_by("-number").first()


def _tables(study: Study, people: list[Participant], visits: list[VisitRows], *, blind: bool) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    eligible = {person.code: of.reached(person, Stage.ELIGIBLE) for person in people}
    own = {rows.name: rows.sets(eligible[rows.person.code]) for rows in visits}
    tables["participants"] = [
        _participant(person, [own[rows.name] for rows in visits if rows.person.code == person.code])
        for person in people
    ]
    tables["visits"] = [of.visit_row(rows, own[rows.name]) for rows in visits]
    tables["attempts"] = [row for rows in visits for row in of_work.attempt_rows(rows)]
    tables["ratings"] = [row for rows in visits for row in of_ratings.rating_rows(rows)]
    tables["rationales"] = [row for rows in visits for row in of_ratings.rationale_rows(rows)]
    tables["opened"] = [row for rows in visits for row in of_work.opened_rows(rows)]
    tables["closing"] = [row for rows in visits for row in of.closing_rows(rows)]
    tables["evidence"] = [row for rows in visits for row in of_hour.evidence_rows(rows, blind=blind)]
    tables["notes"] = [row for rows in visits for row in of_hour.note_rows(rows)]
    tables["moves"] = [row for rows in visits for row in of_hour.move_rows(rows)]
    tables["help"] = [row for rows in visits for row in of_hour.help_rows(rows)]
    tables["incidents"] = of_hour.incident_rows(study, [rows.visit for rows in visits])
    tables["deviations"] = deviation_rows(study)
    tables["cards"] = [row for rows in visits for row in of_hour.card_rows(rows)]
    tables["assignment_log"], instances = log_and_instances(study)
    tables["instances"] = instances
    return tables


def _participant(person: Participant, own: list[Sets]) -> Row:
    screenings = sorted(person.screenings.all(), key=lambda s: s.number)
    first: Screening | None = screenings[0] if screenings else None
    taken_out = person.data_choice == of.TAKE_OUT
    return {
        "code": person.code,
        "cohort": person.cohort.code,
        "channel": person.channel,
        "stage": person.stage,
        "end": person.end,
        "simulated": person.simulated,
        "screener": _screener(first.answers) if first else None,
        "rule_version": first.rule_version if first else "",
        "consent_versions": _consents(person),
        "eligible": of.reached(person, Stage.ELIGIBLE),
        "started": any(s.started for s in own),
        "exposed": any(s.exposed for s in own),
        "analysed": any(s.analysed for s in own),
        "complete": of.is_complete(person),
        "usable": of.is_complete(person) and not taken_out and person.excluded_at is None,
        "exclusion_reason": person.exclusion or (person.end_reason if person.end == "excluded" else ""),
        "knows_other": "" if taken_out else person.knows_other,
        "conflict": "" if taken_out else person.conflict,
        "language": person.language,
        **_allocated(person),
        "agreed_to": _agreed_to(person),
    }


def _allocated(person: Participant) -> Row:
    """Within which cell the arm was drawn, and in which order the visits come; nothing where nothing was drawn."""
    row = getattr(person, "allocation", None)
    if row is None:
        return {}
    # A cell is made of answers to the screener.
    return {"cell": "" if person.data_choice == of.TAKE_OUT else row.cell, "visit_order": row.order or None}


def _consents(person: Participant) -> list[str] | None:
    """Version and hash of each text accepted, oldest first: every acceptance is a record of its own (P-44)."""
    return [f"{one.version}:{one.sha256}" for one in sorted(person.consents.all(), key=lambda one: one.pk)] or None


def _agreed_to(person: Participant) -> list[str] | None:
    """The optional statements the person stands by now; none and no consent are told apart."""
    said = options_now(person)
    return sorted(name for name, given in said.items() if given) if person.consents.all() else None


def _screener(answers: dict[str, Any]) -> dict[str, Any]:
    return {
        item: {"blank": "rather_not_say"} if value == "rather_not_say" else value for item, value in answers.items()
    }


def _objects(visits: list[VisitRows]) -> list[Row]:
    rated: dict[tuple[str, str], Row] = {}
    for rows in visits:
        file = file_of(rows.visit.protocol)
        for name in rows.visit.object_order:
            rated[rows.visit.org.hash, name] = {
                "org_hash": rows.visit.org.hash,
                "object": name,
                "label": file.object_text(name).label,
                "records": rows.visit.org.counts.get(name, 0),
            }
    return [rated[key] for key in sorted(rated)]


def _orgs_of_cards(cards: Iterable[Row], known: set[str]) -> dict[str, Org]:
    """Orgs that only cards came from: the control of dossiers, the other side of a pair."""
    wanted = {str(row["org_hash"]) for row in cards} - known - {""}
    return {org.hash: org for org in Org.objects.using(settings.READER_ALIAS).filter(hash__in=wanted)}


def _org(org: Org) -> dict[str, Any]:
    told = ("format", "generator", "seed", "numpy", "world", "scale", "parent", "recipe", "provenance")
    manifest = {k: v for k, v in org.manifest.items() if k in told}
    return {
        "hash": org.hash,
        "name": org.name,
        "company": org.company,
        "last_day": org.last_day.isoformat(),
        "zone": org.zone,
        "counts": org.counts,
        **manifest,
    }


def _facts(study: Study, protocol: Protocol | None, *, blind: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {"code": study.code, "title": study.name, "blind": blind, "simulated": study.simulated}
    if protocol is not None:
        meta = file_of(protocol).meta
        facts |= {
            "protocol": meta.name,
            "protocol_sha256": protocol.sha256,
            "protocol_kind": meta.kind,
            "primary": file_of(protocol).analysis.primary,
            "level": file_of(protocol).analysis.level,
            "unknowns": [{"question": u.question, "choice": u.choice} for u in file_of(protocol).unknowns],
        }
        if meta.replicates:
            facts["replicates"] = meta.replicates.citation
    if study.unblinded_at:
        facts |= {"unblinded_at": study.unblinded_at.isoformat(), "unblind_reason": study.unblind_reason}
    return facts


def _codebook(protocol: Protocol | None) -> list[Row]:
    """The study's own items: what was asked, and what each code means."""
    if protocol is None:
        return []
    file = file_of(protocol)
    items = [("participants", f"screener.{i.id}", i) for i in file.screener.items]
    items += [("closing", item.id, item) for item in possible_items(file)]
    return [
        {
            "table": table,
            "column": column,
            "type": item.type,
            "values": "|".join(f"{option.code}={option.text}" for option in item.options),
            "text": item.text,
        }
        for table, column, item in items
    ]
