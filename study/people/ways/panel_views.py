"""The coordinator's pages of a panel: settings, the link, and the panel's list beside ours."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import person
from study.accounts.audit import audit, viewed
from study.accounts.reauth import dangerous
from study.people.access import cohort_for
from study.people.models import Cohort
from study.people.ways import panel_settings, reconciling
from study.people.ways.panels import OUTCOMES, PRESETS, panel_of
from study.people.ways.spreadsheets import MOST_BYTES, Refusal

PER_PAGE = 100


def frame(cohort: Cohort, **more: Any) -> dict[str, Any]:
    return {"study": cohort.study, "tab": "cohorts", "cohort": cohort, "panel": panel_of(cohort)} | more


@require_http_methods(["GET", "POST"])
def cohort_panel(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """Which panel, what its links say, and what it gets back for each outcome."""
    row = cohort_for(request, code, cohort)
    typed = panel_settings.typed_settings(request.POST) if request.method == "POST" else dict(row.panel)
    problems: list[str] = []
    if request.method == "POST":
        try:
            panel_settings.set_panel(row, typed, by=person(request))
        except ValidationError as error:
            problems = error.messages
        else:
            messages.success(request, _("The panel is set up."))
            return redirect("cohort_panel", row.study.code, row.code)
    elif not typed and (preset := PRESETS.get(request.GET.get("kind", ""))):
        filled = {"complete": preset.returns} if "{study}" not in preset.returns else {}
        typed = {"kind": preset.kind, "id": preset.id, "study": preset.study, "session": preset.session}
        typed |= {"returns": filled}
    context = frame(
        row, typed=typed, problems=problems, presets=PRESETS.values(), preset=PRESETS.get(str(typed.get("kind", "")))
    )
    codes, returns = typed.get("codes") or {}, typed.get("returns") or {}
    context["outcomes"] = [(key, name, codes.get(key, ""), returns.get(key, "")) for key, name in OUTCOMES.items()]
    context["address"] = panel_settings.address_for(row, context["panel"]) if context["panel"] and row.open_link else ""
    context["came"] = panel_settings.somebody_came(row)
    return render(request, "people/panel.html", context, status=422 if problems else 200)


@require_POST
def cohort_panel_remove(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    if panel_settings.take_panel_away(row, by=person(request)):
        messages.success(request, _("The cohort comes from no panel any more. Its link is an open link now."))
    return redirect("cohort_panel", row.study.code, row.code)


@require_POST
def cohort_link_renew(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """A new open link; the old one opens nothing from this moment on."""
    row = cohort_for(request, code, cohort)
    if panel_settings.renew_link(row, old=request.POST.get("old", ""), by=person(request)):
        messages.success(request, _("The link is new. The old one opens nothing any more; people who are in stay in."))
    return redirect("cohort_panel" if row.panel else "cohort", row.study.code, row.code)


@never_cache
@require_http_methods(["GET", "POST"])
def panel_reconcile(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """The panel's list beside ours."""
    row = cohort_for(request, code, cohort)
    problems: list[str] = []
    if request.method == "POST":
        try:
            take_in(request, row)
        except (Refusal, ValidationError) as error:
            problems = error.messages if isinstance(error, ValidationError) else [str(error)]
        else:
            return redirect("panel_reconcile", row.study.code, row.code)
    every = reconciling.compared(row)
    kind = request.GET.get("kind", "")
    shown = [one for one in every if one.kind == kind] if kind in reconciling.KINDS else every
    counts = [(key, label, sum(1 for one in every if one.kind == key)) for key, label in reconciling.KINDS.items()]
    page = Paginator(shown, PER_PAGE).get_page(request.GET.get("page"))
    if every:
        viewed("panel list", by=person(request), study=row.study, n=len(every))
    context = frame(row, problems=problems, page=page, kind=kind, counts=counts, every=len(every))
    context["files"] = row.panel_files.select_related("by").order_by("-pk")[:10]
    context["open"] = sum(1 for one in every if one.kind != "agree" and not one.settled)
    return render(request, "people/reconcile.html", context, status=422 if problems else 200)


def take_in(request: HttpRequest, row: Cohort) -> None:
    """The uploaded file. Raises Refusal or ValidationError with a remedy."""
    file = request.FILES.get("file")
    if file is None or not file.size:
        raise ValidationError(_("Choose the list of submissions that you downloaded from the panel."))
    if file.size > MOST_BYTES:
        raise ValidationError(_("This file is larger than 5 MB. Keep only id, status and code in it."))
    _row, new = reconciling.upload(row, file_name=file.name or "list", content=file.read(), by=person(request))
    said = _("The list is taken in.") if new else _("This very list was taken in before. Nothing has changed.")
    messages.success(request, said)


@require_POST
def panel_settle(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    try:
        reconciling.settle(row, request.POST.get("mark", ""), request.POST.get("words", ""), by=person(request))
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("panel_reconcile", row.study.code, row.code)


@never_cache
@require_GET
@dangerous
def panel_differences(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """Everything that differs, as CSV with the panel's ids."""
    row = cohort_for(request, code, cohort)
    every = reconciling.compared(row)
    n = sum(1 for one in every if one.kind != "agree")
    audit("panel.differences", by=person(request), study=row.study, target=f"cohort {row.code}", rows=n)
    response = HttpResponse(reconciling.differences(every), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{row.code}-differences.csv"'
    return response
