"""Where a page reports on itself. It answers nothing, and nothing waits for it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from study.sandbox.access import desk_for
from study.sandbox.models import Purpose
from study.sandbox.page_facts import LONGEST_BODY, Report, Unreadable, keep


@require_POST
def facts(request: HttpRequest, code: str) -> HttpResponse:
    """Keep what a page says of itself. A closed desk still takes it: the last page reports as it is left."""
    desk = desk_for(request, code)
    if int(request.META.get("CONTENT_LENGTH") or 0) > LONGEST_BODY:
        return HttpResponse(status=413)
    try:
        report = Report.read(request.POST.dict())
    except Unreadable:
        return HttpResponse(status=400)
    if desk.purpose == Purpose.STAFF:
        return HttpResponse(status=204)
    return HttpResponse(status=204 if keep(desk, report, timezone.now()) else 400)
