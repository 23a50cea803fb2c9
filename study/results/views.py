"""The researcher's rooms: monitor, results, rationales, export."""

from __future__ import annotations

from typing import cast

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.conf import settings
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import SEE_DATA, SEE_RESULTS, person, study_for
from study.accounts.audit import audit
from study.accounts.jobs import enqueue
from study.fieldwork.grades import outdated
from study.people.consenting.consent import agreed
from study.people.protocol import file_of, newest_frozen
from study.protocols.hour import SCALE_LABELS
from study.results import findings, flow, looks, presenting, rationale_room, redacting, reporting, stored
from study.results.access import export_for, newest_exports, newest_report
from study.results.models import ExportKind
from study.results.traces.exporting import FORMATS

ACTS: dict[str, str] = {ExportKind.BUNDLE: "bundle", ExportKind.RELEASE: "release", ExportKind.REPORT: "report"}
PROFILE = "realism-profile"
KINDS = ("export bundle", "export trace", "export release", reporting.KIND)
# A report brings its styles along and nothing else: no script, nothing from outside.
ALONE = {
    "default-src": [NONE], "script-src": [NONE], "style-src": [UNSAFE_INLINE], "img-src": ["data:"],
    "base-uri": [NONE], "form-action": [NONE], "frame-ancestors": [NONE],
}  # fmt: skip


@require_GET
def monitor(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_RESULTS)
    protocol = newest_frozen(study.pk)
    target = file_of(protocol).analysis.n_target if protocol else None
    looks.ask(study, by=person(request))
    context = {
        "study": study,
        "tab": "monitor",
        "flow": flow.participant_flow(study),
        "quality": flow.quality(study, target=target),
        "quiet": flow.gone_quiet(study),
        "looks": looks.looks_of(study),
        "open_cohorts": study.cohorts.filter(state="open").count(),
    }
    return render(request, "results/monitor.html", context)


@require_GET
def results(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_RESULTS)
    context: dict[str, object] = {"study": study, "tab": "results"}
    if study.blind:
        return render(request, "results/blind.html", context)
    row, job = stored.newest(study, by=person(request))
    context |= {"job": job, "result": presenting.page(row) if row else None, "row": row, "outdated": outdated(study)}
    if row is not None:
        context |= {
            "more": findings.findings(row.results["results"]),
            "profile": presenting.figure(row, PROFILE),
            "report": newest_report(study, row.fingerprint),
        }
    return render(request, "results/results.html", context)


@require_POST
def results_compute(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_RESULTS)
    if not study.blind:
        stored.ask(study, by=person(request))
    return redirect("results", study.code)


@require_GET
def results_table(request: HttpRequest, code: str, name: str) -> HttpResponse:
    study = study_for(request, code, *SEE_RESULTS)
    text = presenting.table_csv(stored.open_row(study), name)
    answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{study.code}-{name}.csv"'
    return answer


@require_GET
def results_figure(request: HttpRequest, code: str, name: str) -> HttpResponse:
    study = study_for(request, code, *SEE_RESULTS)
    figures = stored.open_row(study).results["figures"]
    if name not in figures:
        raise Http404
    answer = HttpResponse(figures[name], content_type="image/svg+xml")
    answer["Content-Disposition"] = f'attachment; filename="{study.code}-{name}.svg"'
    return answer


@require_GET
def rationales(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    if study.blind:
        return render(request, "results/blind.html", {"study": study, "tab": "rationales"})
    chosen = {name: request.GET.get(name, "") for name in ("target", "score", "words")}
    found = rationale_room.find(study, **chosen)
    page = Paginator(found, rationale_room.PAGE).get_page(request.GET.get("page"))
    names = rationale_room.labels(study)
    for rating in page:
        rating.name = names.get(rating.target, rating.target)  # type: ignore[attr-defined]
        rating.label = rationale_room.label_of(rating.final)  # type: ignore[attr-defined]
        rating.quotable = agreed(rating.visit.participant, redacting.QUOTATIONS)  # type: ignore[attr-defined]
    context = {
        "study": study,
        "tab": "rationales",
        "page": page,
        "chosen": chosen,
        "targets": rationale_room.targets(study),
        "scores": [(str(n), label) for n, label in enumerate(SCALE_LABELS, start=1)],
    }
    return render(request, "results/rationales.html", context)


@require_GET
def export(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    job = study.jobs.filter(kind__in=KINDS).order_by("-pk").first()
    context = {"study": study, "tab": "export", "exports": newest_exports(study), "job": job}
    context["unread"] = None if study.blind else redacting.unread(study)
    return render(request, "results/export.html", context)


@require_POST
def export_make(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    enqueue("export bundle", study=study, by=person(request), once_key=f"export:{study.pk}")
    return redirect("export", study.code)


@require_POST
def export_trace(request: HttpRequest, code: str) -> HttpResponse:
    """Begin to write the trace as CSV or OCEL; the same again while it is under way is the same job."""
    study = study_for(request, code, *SEE_DATA)
    kind = request.POST.get("format", "")
    if kind not in FORMATS:
        raise Http404
    key = f"trace:{study.pk}:{kind}"
    enqueue("export trace", {"format": kind}, study=study, by=person(request), once_key=key)
    return redirect("export", study.code)


@require_POST
def report_make(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    if not study.blind:
        enqueue(reporting.KIND, study=study, by=person(request), once_key=f"report:{study.pk}")
    return redirect("export", study.code)


@require_GET
@csp_replace(ALONE)  # type: ignore[arg-type]  # its types know views without arguments only
def report_read(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    """The page of a report that was made, as it stands in the file."""
    row = export_for(request, code, pk)
    page = reporting.page_of(row) if row.kind == ExportKind.REPORT else None
    if page is None:
        raise Http404
    audit("report.read", by=person(request), study=row.study, target=row.bundle_hash)
    return HttpResponse(page)


@require_GET
def export_download(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    row = export_for(request, code, pk)
    path = settings.REALIA_VAR / row.file
    if not path.is_file():
        raise Http404
    act = f"{ACTS.get(row.kind, 'trace')}.downloaded"
    audit(act, by=person(request), study=row.study, target=row.bundle_hash, rows=row.rows)
    return cast("HttpResponse", FileResponse(path.open("rb"), as_attachment=True, filename=path.name))
