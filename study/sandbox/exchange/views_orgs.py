"""Staff pages of Orgs, of a study or (without a code) of the installation: list, bring in, take out, delete."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.audit import audit
from study.sandbox.access import org_for
from study.sandbox.exchange.exporting import FORMS
from study.sandbox.exchange.org_flows import delete_org, queue_export, queue_import, upload_limit
from study.sandbox.exchange.shelves import EXPORT, IMPORT, Shelf, shelf_for
from study.sandbox.models import Org


def _page(request: HttpRequest, shelf: Shelf, template: str, status: int = 200, **context: Any) -> HttpResponse:
    about = {"shelf": shelf, "study": shelf.study, "tab": "orgs", **context}
    return render(request, f"sandbox/{template}.html", about, status=status)


@require_GET
def orgs(request: HttpRequest, code: str | None = None) -> HttpResponse:
    shelf = shelf_for(request, code)
    rows = [
        {"row": row, "export": shelf.url("org_export", row.org.hash), "delete": shelf.url("org_delete", row.org.hash)}
        for row in shelf.rows
    ]
    jobs = [(job, shelf.url("org_import", job.pk) if job.kind == IMPORT else None) for job in shelf.jobs]
    return _page(request, shelf, "orgs", rows=rows, jobs=jobs, forms=FORMS)


@csrf_exempt
@require_http_methods(["GET", "POST"])
def org_add(request: HttpRequest, code: str | None = None) -> HttpResponse:
    """The door and the size come before the body is read; only then the token, which stands in the body."""
    shelf = shelf_for(request, code, change=True)
    if int(request.META.get("CONTENT_LENGTH") or 0) > upload_limit():
        problem = _("The upload has more than %(n)s MB. An operator can load it with org_load.")
        shown = {"problems": [problem % {"n": settings.ORG_UPLOAD_MB}], "limit": settings.ORG_UPLOAD_MB, "given": {}}
        answer = _page(request, shelf, "org_add", 413, **shown)
        # The rest of the body is not read.
        answer["Connection"] = "close"
        return answer
    return _add(request, code)


@csrf_protect
def _add(request: HttpRequest, code: str | None) -> HttpResponse:
    shelf = shelf_for(request, code, change=True)
    given = {key: request.POST.get(key, "").strip() for key in ("name", "zone", "company")}
    shown: dict[str, Any] = {"given": given, "limit": settings.ORG_UPLOAD_MB}
    if request.method != "POST":
        return _page(request, shelf, "org_add", **shown)
    files = {part: file for part in ("file", "schema", "layout") if (file := request.FILES.get(part))}
    try:
        job = queue_import(shelf, given, files)
    except ValidationError as error:
        return _page(request, shelf, "org_add", 422, **shown, problems=error.messages)
    return redirect(shelf.url("org_import", job.pk))


@require_GET
def org_import(request: HttpRequest, pk: int, code: str | None = None) -> HttpResponse:
    """How far a conversion is, and what came of it."""
    shelf = shelf_for(request, code, change=True)
    job = shelf.job(IMPORT, pk)
    org = shelf.orgs.filter(hash=job.result.get("org", "")).first()
    template = "_org_import" if request.headers.get("HX-Request") else "org_import"
    more = job.result.get("problem_count", 0) - len(job.result.get("problems", []))
    return _page(request, shelf, template, job=job, org=org, more=more, here=shelf.url("org_import", pk))


@require_POST
def org_export(request: HttpRequest, name: str, code: str | None = None) -> HttpResponse:
    shelf = shelf_for(request, code, change=True)
    try:
        job = queue_export(shelf, shelf.named(request, name), request.POST.get("form", ""))
    except ValidationError as error:
        messages.warning(request, error.messages[0])
        return redirect(shelf.url("orgs"))
    return redirect("job", job.pk)


@require_GET
def org_download(request: HttpRequest, pk: int, code: str | None = None) -> HttpResponse:
    shelf = shelf_for(request, code, change=True)
    job = shelf.job(EXPORT, pk)
    org: Org = org_for(request, job.result.get("org", ""))
    path = settings.REALIA_VAR / str(job.result.get("file", "-"))
    if not path.is_file():
        raise Http404
    audit("org.downloaded", by=shelf.user, study=shelf.study, target=org.hash, file=path.name)
    return cast("HttpResponse", FileResponse(path.open("rb"), as_attachment=True, filename=path.name))


@require_http_methods(["GET", "POST"])
def org_delete(request: HttpRequest, name: str, code: str | None = None) -> HttpResponse:
    shelf = shelf_for(request, code, change=True)
    org = shelf.named(request, name)
    because = shelf.kept_because(org)
    if request.method == "POST" and not because:
        try:
            delete_org(org, by=shelf.user, study=shelf.study)
        except ValidationError as error:
            because = error.messages[0]
        else:
            messages.success(request, _("%(name)s is deleted.") % {"name": org.name})
            return redirect(shelf.url("orgs"))
    status = 409 if request.method == "POST" else 200
    return _page(request, shelf, "org_delete", status, org=org, because=because, records=sum(org.counts.values()))
