"""The doors to exports and to texts that wait for a mark: reached by who may see the study's data."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from study.accounts.access import SEE_DATA, person, study_for
from study.accounts.models import Study
from study.assignment.models import Visit
from study.fieldwork.marking import Item, item_named
from study.people.models import Participant
from study.results.models import Export, ExportKind
from study.results.replaying import Walk


def export_for(request: HttpRequest, code: str, pk: int) -> Export:
    """404 for another study's export. One made while blind stays as it is; an open one needs an open study."""
    study = study_for(request, code, *SEE_DATA)
    export = Export.objects.filter(study=study, pk=pk).first()
    if export is None or (study.blind and not export.blind):
        raise Http404
    return export


def walk_for(request: HttpRequest, code: str, name: str) -> Walk:
    """A visit of the study by its name (``P-7KQ4-1``), for who may see the data. Previews are nobody's."""
    study = study_for(request, code, *SEE_DATA)
    participant, _dash, period = name.rpartition("-")
    visits = Visit.objects.select_related("participant__study").filter(participant__in=Participant.objects.people())
    found = visits.filter(participant__study=study, participant__code=participant, period=_whole(period)).first()
    if found is None:
        raise Http404
    return Walk(found)


def _whole(text: str) -> int:
    """A period; 0, which no visit has, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 else 0


def newest_exports(study: Study) -> list[Export]:
    return list(Export.objects.filter(study=study).order_by("-pk")[:20])


def newest_report(study: Study, bundle_hash: str) -> Export | None:
    """The report that was made of this very bundle, if its file is still there."""
    made = Export.objects.filter(study=study, kind=ExportKind.REPORT, bundle_hash=bundle_hash, removed_at=None)
    return made.order_by("-pk").first()


def text_to_mark(request: HttpRequest, study: Study, token: str) -> Item:
    """A text of the study's queue by its name; 404 for any other, as for one of another study."""
    item = item_named(study, token, person(request))
    if item is None:
        raise Http404
    return item
