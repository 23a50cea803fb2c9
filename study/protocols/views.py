"""A study's protocol: read it, edit it as text, freeze it, take it away."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import EDIT_PROTOCOL, person, study_for
from study.accounts.models import Study
from study.protocols import flows
from study.protocols.access import draft_for, version_for
from study.protocols.deviations import newest_frozen, taking_part
from study.protocols.library import builtin_names, builtin_text
from study.protocols.models import Protocol, ProtocolState
from study.protocols.nodes import MAX_BYTES
from study.protocols.packs.gaps import gaps_of
from study.protocols.problems import Problem, ProtocolInvalid
from study.protocols.reading import decode, sha256_of


@require_GET
def show(request: HttpRequest, code: str, number: int | None = None) -> HttpResponse:
    """Any member reads it; without a number the draft, else the newest frozen version."""
    study = study_for(request, code)
    protocol = version_for(study, number) if number is not None else flows.newest_of(study)
    context: dict[str, Any] = {"study": study, "tab": "protocol", "protocol": protocol, "names": builtin_names()}
    if protocol is not None:
        reading = flows.read_for(study, protocol.text)
        context |= {
            "reading": reading,
            "file": reading.value,
            "sha256": sha256_of(protocol.text),
            "versions": Protocol.objects.filter(study=study),
        }
    return render(request, "protocols/show.html", context | _rights(request))


@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, code: str) -> HttpResponse:
    """GET fills the editor (``from`` names a built-in protocol); POST saves the draft, right or wrong."""
    study = study_for(request, code, *EDIT_PROTOCOL)
    if request.method == "POST":
        return _save(request, study)
    newest, draft = flows.newest_of(study), flows.draft_of(study)
    name = request.GET.get("from", "")
    text = builtin_text(name) if name in builtin_names() else (newest.text if newest else "")
    return _editor(request, study, text, base=sha256_of(draft.text) if draft else "", unsaved=name in builtin_names())


def _save(request: HttpRequest, study: Study) -> HttpResponse:
    text, base = request.POST.get("text", ""), request.POST.get("base", "")
    try:
        draft = flows.save_draft(study, text, person(request), base=base)
    except flows.DraftNotSaved as error:
        return _editor(request, study, text, base=base, refused=str(error), status=409)
    reading = flows.read_for(study, draft.text)
    if reading.errors:
        return _editor(request, study, draft.text, base=sha256_of(draft.text), saved=True, status=422)
    messages.success(request, _("Draft saved."))
    return redirect("protocol", study.code)


@require_POST
def upload(request: HttpRequest, code: str) -> HttpResponse:
    """Puts a file into the editor. Nothing is saved yet, so a draft that is there stays until Save."""
    study = study_for(request, code, *EDIT_PROTOCOL)
    given = request.FILES.get("file")
    draft = flows.draft_of(study)
    base = sha256_of(draft.text) if draft else ""
    if given is None:
        return redirect("protocol_edit", study.code)
    if (given.size or 0) > MAX_BYTES:
        refused = _("The file is larger than %(max)s bytes, so it is no protocol.") % {"max": f"{MAX_BYTES:,}"}
        return _editor(request, study, draft.text if draft else "", base=base, refused=refused, status=422)
    text, problems = decode(given.read())
    return _editor(request, study, text, base=base, unsaved=True, extra=problems)


def _editor(
    request: HttpRequest,
    study: Study,
    text: str,
    *,
    base: str,
    status: int = 200,
    extra: tuple[Problem, ...] = (),
    **said: object,
) -> HttpResponse:
    problems = (*extra, *flows.read_for(study, text).problems) if text.strip() else extra
    context = {"study": study, "tab": "protocol", "text": text, "base": base, "problems": problems,
               "names": builtin_names(), **said}  # fmt: skip
    return render(request, "protocols/edit.html", context, status=status)


@require_GET
def download(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """The file, byte for byte as it was hashed."""
    study = study_for(request, code)
    protocol = version_for(study, number)
    answer = HttpResponse(flows.export_text(protocol), content_type="text/yaml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{study.code}-protocol-{protocol.number}.yaml"'
    return answer


@require_GET
def freeze_form(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *EDIT_PROTOCOL)
    return _freeze_page(request, study, draft_for(study))


@require_POST
def freeze(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *EDIT_PROTOCOL)
    newest = flows.newest_of(study)
    if newest is not None and newest.state == ProtocolState.FROZEN and newest.sha256 == request.POST.get("sha256"):
        # The second press of a double click: the very text is frozen already (P-08).
        return redirect("protocol", study.code)
    draft = draft_for(study)
    try:
        frozen = flows.freeze_protocol(
            draft,
            person(request),
            sha256=request.POST.get("sha256", ""),
            with_gaps=request.POST.get("with_gaps") == "yes",
            why=request.POST.get("why", ""),
        )
    except ProtocolInvalid:
        return _freeze_page(request, study, draft, status=422)
    except flows.GapsLeft:
        return _freeze_page(request, study, draft, unsaid=True, status=422)
    except flows.NotFrozen as error:
        return _freeze_page(request, study, draft, refused=str(error), status=409)
    messages.success(request, _("Protocol %(number)d is frozen.") % {"number": frozen.number})
    return redirect("protocol", study.code)


def _freeze_page(
    request: HttpRequest, study: Study, draft: Protocol, *, status: int = 200, **said: object
) -> HttpResponse:
    reading = flows.look_at(study, draft.text)
    context = {"study": study, "tab": "protocol", "protocol": draft, "reading": reading,
               "file": reading.value, "sha256": sha256_of(draft.text), "why": request.POST.get("why", ""),
               "gaps": gaps_of(reading.value) if reading.value else (),
               "taking_part": taking_part(study) if newest_frozen(study) else 0, **said}  # fmt: skip
    return render(request, "protocols/freeze.html", context, status=status)


def _rights(request: HttpRequest) -> dict[str, bool]:
    return {"may_edit": getattr(request, "role", "") in EDIT_PROTOCOL}
