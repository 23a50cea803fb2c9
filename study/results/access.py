"""The doors to exports and to texts that wait for a mark: reached by who may see the study's data."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from study.accounts.access import SEE_DATA, person, study_for
from study.accounts.models import Study
from study.fieldwork.marking import Item, item_named
from study.results.models import Export


def export_for(request: HttpRequest, code: str, pk: int) -> Export:
    """404 for another study's export. One made while blind stays as it is; an open one needs an open study."""
    study = study_for(request, code, *SEE_DATA)
    export = Export.objects.filter(study=study, pk=pk).first()
    if export is None or (study.blind and not export.blind):
        raise Http404
    return export


def newest_exports(study: Study) -> list[Export]:
    return list(Export.objects.filter(study=study).order_by("-pk")[:20])


def text_to_mark(request: HttpRequest, study: Study, token: str) -> Item:
    """A text of the study's queue by its name; 404 for any other, as for one of another study."""
    item = item_named(study, token, person(request))
    if item is None:
        raise Http404
    return item
