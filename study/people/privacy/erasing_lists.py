"""Imported lists, what panels sent, and screener answers: how one person is taken out of them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from study.accounts.erasing import Eraser, identifiers, keeps, register
from study.accounts.models import Study
from study.people.models import Contact, Import, PanelArrival, PanelRow, Participant, Screening
from study.people.privacy.erasing import PERSON, subject
from study.people.protocol import file_of, protocol_of


def _holding(study: Study, code: str) -> Iterator[Import]:
    """Imports whose rows, file or name hold the person."""
    wanted = identifiers(study, code)
    for row in Import.objects.filter(cohort__study=study) if wanted else []:
        texts = [str(row.rows or ""), _plain(row.content), row.file_name, row.problem]
        if any(one in text.lower() for one in wanted for text in texts):
            yield row


def _plain(content: str) -> str:
    """The uploaded file as text; a workbook is packed, so its file counts as holding everybody in it."""
    try:
        return base64.b64decode(content, validate=True).decode("utf-8", "ignore")
    except (binascii.Error, ValueError):
        return content


def _erase_imports(study: Study, code: str) -> int:
    wanted, n = identifiers(study, code), 0
    for found in _holding(study, code):
        # Somebody may confirm the list at this moment: only what it says of the person is written back.
        row = Import.objects.select_for_update(no_key=True).get(pk=found.pk)
        row.rows = [_blank(one, wanted) for one in row.rows] if isinstance(row.rows, list) else row.rows
        row.content, row.problem = "", ""
        if any(one in row.file_name.lower() for one in wanted):
            row.file_name = f"list {row.pk}"
        row.save(update_fields=["rows", "content", "problem", "file_name"])
        n += 1
    return n


def _blank(line: Any, wanted: list[str]) -> Any:
    """The line without what it says, if it is about the person; its number stays, so that counts still fit."""
    if not any(one in str(line).lower() for one in wanted):
        return line
    # The other columns stay, empty: the list is still to be read, shown and sent without this line.
    return dict.fromkeys(line, "") | {"row": line.get("row"), "problem": "erased"} if isinstance(line, dict) else None


def _panel_hashes(study: Study, code: str) -> list[str]:
    return list(
        Contact.objects.filter(participant__in=subject(study, code))
        .exclude(panel_hash="")
        .values_list("panel_hash", flat=True)
    )


def _arrivals(study: Study, code: str) -> QuerySet[PanelArrival]:
    """Theirs, and those with their id that came to nothing."""
    rows = PanelArrival.objects.filter(cohort__study=study)
    mine = rows.filter(participant__in=subject(study, code)) | rows.filter(panel_hash__in=_panel_hashes(study, code))
    return (mine.exclude(parameters=None) | mine.exclude(panel_hash="")).distinct()


def _erase_arrivals(study: Study, code: str) -> int:
    keys = list(_arrivals(study, code).values_list("pk", flat=True))
    return PanelArrival.objects.filter(pk__in=keys).update(parameters=None, panel_hash="")


def _panel_rows(study: Study, code: str) -> QuerySet[PanelRow]:
    codes = subject(study, code).exclude(completion_code="").values_list("completion_code", flat=True)
    rows = PanelRow.objects.filter(cohort__study=study)
    return rows.filter(panel_hash__in=_panel_hashes(study, code)) | rows.filter(code__in=list(codes))


# Screener answers: what was typed says who somebody is; what was chosen goes with the answers.


def _typed_items(participant: Participant) -> set[str]:
    file = file_of(protocol_of(participant.cohort))
    items = [*file.screener.items, *(item for module in file.modules_at("screener") for item in module.items)]
    return {item.id for item in items if item.type in ("text", "texts")}


def _is_typed(key: str, typed: set[str]) -> bool:
    """``S7.1`` is the first text of ``S7``; ``S4.other`` what was written beside an option."""
    return key in typed or "." in key


def _typed(study: Study, code: str) -> Iterator[tuple[Screening, dict[str, Any]]]:
    for row in subject(study, code).select_related("cohort"):
        screenings = [one for one in row.screenings.all() if one.answers]
        typed = _typed_items(row) if screenings else set()
        for one in screenings:
            stay = {key: value for key, value in one.answers.items() if not _is_typed(key, typed)}
            if stay != one.answers:
                yield one, stay


def _erase_typed(study: Study, code: str) -> int:
    n = 0
    for row, stay in list(_typed(study, code)):
        Screening.objects.filter(pk=row.pk).update(answers=stay)
        n += 1
    return n


def _screenings(study: Study, code: str) -> QuerySet[Screening]:
    return Screening.objects.filter(participant__in=subject(study, code)).exclude(answers={}, order_shown={})


def _said(study: Study, code: str) -> QuerySet[Participant]:
    return subject(study, code).exclude(knows_other="", conflict="")


for eraser in (
    Eraser("imports", "Uploaded lists: the person's line", "identity",
           lambda s, c: sum(1 for _row in _holding(s, c)), _erase_imports, 40, ("people.Import.*",)),
    Eraser("arrivals", "Parameters that a panel sent along", "identity",
           lambda s, c: _arrivals(s, c).count(), _erase_arrivals, 40, ("people.PanelArrival.*",)),
    Eraser("panel rows", "Lines of the panel's own list", "identity",
           lambda s, c: _panel_rows(s, c).count(), lambda s, c: _panel_rows(s, c).delete()[0], 41,
           ("people.PanelRow.*",)),
    Eraser("screener texts", "What was typed into the first questions", "identity",
           lambda s, c: sum(1 for _row in _typed(s, c)), _erase_typed, 45),
    Eraser("screener answers", "What was chosen in the first questions", "everything",
           lambda s, c: _screenings(s, c).count(), lambda s, c: _screenings(s, c).update(answers={}, order_shown={}),
           50, ("people.Screening.answers", "people.Screening.order_shown")),
    Eraser("screener flags", "Whom they know, and what may stand in the way", "everything",
           lambda s, c: _said(s, c).count(), lambda s, c: _said(s, c).update(knows_other="", conflict=""), 50,
           (PERSON + "knows_other", PERSON + "conflict")),
):  # fmt: skip
    register(eraser)

keeps("the name of a file that staff chose, and a hash of it", "people.PanelFile.*")
