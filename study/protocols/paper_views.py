"""The papers of a study: what is empty, each paper in each form, and the log of deviations."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from study.accounts.access import EDIT_PROTOCOL, person, study_for
from study.accounts.models import Study
from study.protocols import deviations as log
from study.protocols import flows
from study.protocols.access import version_for
from study.protocols.documents.pdf import NoGlyphs
from study.protocols.models import Deviation, Protocol
from study.protocols.packs.gaps import gaps_of
from study.protocols.packs.making import FORMS, KINDS, TYPES, document, kind_named, written
from study.protocols.problems import ProtocolInvalid
from study.protocols.reading import parse, sha256_of
from study.protocols.schema import ProtocolFile


def file_in(protocol: Protocol | None) -> ProtocolFile | None:
    """The value of a version; None for a draft that can't be read yet."""
    try:
        return parse(protocol.text) if protocol else None
    except ProtocolInvalid:
        return None


@require_GET
def papers(request: HttpRequest, code: str, **said: Any) -> HttpResponse:
    """What is empty, and a button for each paper and form; below it the log."""
    study = study_for(request, code, *EDIT_PROTOCOL)
    protocol = flows.newest_of(study)
    file = file_in(protocol)
    context: dict[str, Any] = {"study": study, "tab": "papers", "protocol": protocol, "file": file}
    if protocol is not None and file is not None:
        context |= {"gaps": gaps_of(file), "kinds": KINDS, "forms": FORMS, "sha256": sha256_of(protocol.text)}
    context["deviations"] = Deviation.objects.filter(study=study).count()
    return render(request, "protocols/papers.html", context | said, status=503 if said else 200)


@require_GET
def paper(request: HttpRequest, code: str, number: int, name: str, form: str) -> HttpResponse:
    """One paper of one version as a file: the same bytes for the same protocol."""
    study = study_for(request, code, *EDIT_PROTOCOL)
    protocol = version_for(study, number)
    file = file_in(protocol)
    chosen = next((one for one in FORMS if one == form), None)
    if file is None or chosen is None or name not in {kind.name for kind in KINDS}:
        raise Http404
    try:
        data = written(document(kind_named(name), file, sha256_of(protocol.text)), chosen)
    except NoGlyphs as error:
        return papers(request, code, refused=str(error))
    answer = HttpResponse(data, content_type=TYPES[chosen])
    answer["Content-Disposition"] = f'attachment; filename="{study.code}-{name}-{number}.{chosen}"'
    return answer


@require_http_methods(["GET", "POST"])
def deviations(request: HttpRequest, code: str) -> HttpResponse:
    """The log, and the form for one more line. The same line sent twice is one line (P-08)."""
    study = study_for(request, code, *EDIT_PROTOCOL)
    context: dict[str, Any] = {"study": study, "tab": "papers", "today": timezone.now().date().isoformat()}
    if request.method == "POST":
        try:
            _add(request, study)
        except ValidationError as error:
            context |= {"problems": error.messages, "typed": request.POST}
        else:
            return redirect("deviations", study.code)
    context |= {"rows": Deviation.objects.filter(study=study).select_related("by"), "opened": log.newest_frozen(study)}
    return render(request, "protocols/deviations.html", context, status=422 if "problems" in context else 200)


def _add(request: HttpRequest, study: Study) -> None:
    typed = request.POST
    try:
        day = date.fromisoformat(typed.get("happened_on", ""))
    except ValueError:
        raise ValidationError(_("Choose the day on which it happened.")) from None
    log.add(study, happened_on=day, what=typed.get("what", ""), why=typed.get("why", ""), by=person(request))
