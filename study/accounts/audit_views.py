"""The audit log of a study: for its owners, since it tells of everybody's work."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from study.accounts import audit_reading as reading
from study.accounts.access import person, study_for
from study.accounts.audit import audit
from study.accounts.models import AuditRow, AuditSeal, Role

PER_PAGE = 50
FILTERS = ("act", "who", "day", "target")


def _filters(values: QueryDict) -> dict[str, str]:
    return {name: values.get(name, "") for name in FILTERS}


@require_GET
def audit_log(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    filters, names = _filters(request.GET), reading.names(study)
    page = Paginator(reading.chosen(study, **filters), PER_PAGE).get_page(request.GET.get("page"))
    lines = [
        {"row": row, "act": reading.words_for(row.act), "who": names.get(row.actor_label, row.actor_label),
         "detail": reading.detail_of(row)}
        for row in page
    ]  # fmt: skip
    mine = AuditRow.objects.filter(study_code=study.code).order_by()
    acts = sorted((reading.words_for(act), act) for act in mine.values_list("act", flat=True).distinct())
    people = sorted((names.get(who, who), who) for who in mine.values_list("actor_label", flat=True).distinct())
    context = {"study": study, "tab": "audit", "page": page, "lines": lines, "acts": acts, "people": people}
    context |= {"filters": filters, "filtered": any(filters.values()), "head": AuditSeal.objects.last()}
    context["query"] = "&".join(part for part in request.GET.urlencode().split("&") if not part.startswith("page="))
    return render(request, "accounts/audit_log.html", context)


@require_POST
def audit_export(request: HttpRequest, code: str) -> HttpResponseBase:
    """The chosen rows as CSV. The export is itself a row, with how many it took (P-40)."""
    study = study_for(request, code, Role.OWNER)
    filters = _filters(request.POST)
    rows = reading.chosen(study, **filters).order_by("pk")
    used = {name: value for name, value in filters.items() if value}
    last = rows.last()
    audit("audit.exported", by=person(request), study=study, target=study.code, rows=rows.count(), filters=used)
    rows = rows.filter(pk__lte=last.pk if last else 0)
    answer = StreamingHttpResponse(
        reading.csv_lines(rows.iterator(chunk_size=500)), content_type="text/csv; charset=utf-8"
    )
    answer["Content-Disposition"] = f'attachment; filename="{study.code}-audit.csv"'
    return answer
