"""Pages around the consent: agreeing anew after a change, optional statements later, and the copy to keep."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.people.access import hour_page, participant_for
from study.people.consenting import consent as acts
from study.people.consenting.consent_copy import chosen, copy_of
from study.people.frame import hour_frame
from study.people.models import Participant
from study.people.protocol import file_of, protocol_of
from study.people.ways.doors import OPENING, notice
from study.people.where import url_for
from study.protocols.documents.pdf import NoGlyphs, pdf


@never_cache
@require_http_methods(OPENING)
@hour_page(*acts.BOUND, bound=False)
def consent_again(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The text has changed in what it says since they agreed: the hour goes on once they agree to it as it is now."""
    if not acts.asked_again(participant):
        return redirect(url_for(participant))
    protocol = protocol_of(participant.cohort)
    file = file_of(protocol)
    sha256, ticked = acts.text_hash(acts.consent_text(file)), request.POST.getlist("statement")
    posted = request.method == "POST"
    changed = posted and request.POST.get("sha256") != sha256
    missing = acts.missing_ticks(file, ticked) if posted and not changed else []
    if not posted or changed or missing:
        context = hour_frame(participant, protocol) | {"sha256": sha256, "missing": missing, "changed": changed}
        context |= {"ticked": [] if changed else ticked, "again": True}
        return render(request, "people/consent.html", context, status=409 if changed else 422 if missing else 200)
    acts.record(participant, protocol, file, ticked)
    return redirect(url_for(participant))


@require_POST
def consent_choice(request: HttpRequest, code: str) -> HttpResponse:
    """One optional statement given or taken back, at any time and after the end as well; what hangs on it follows."""
    participant = participant_for(request, code)
    given = request.POST.get("given", "")
    if given not in ("yes", "no"):
        return redirect("hour_privacy", participant.code)
    try:
        acts.choose(participant, request.POST.get("option", ""), given=given == "yes")
    except KeyError:
        raise Http404 from None
    return redirect("hour_privacy", participant.code)


@never_cache
@require_GET
def hour_privacy(request: HttpRequest, code: str) -> HttpResponse:
    participant = participant_for(request, code)
    context = hour_frame(participant) | {"options": acts.optional_of(participant)}
    return render(request, "people/privacy.html", context | {"agreed": participant.consents.exists()})


@require_GET
def consent_copy(request: HttpRequest, code: str) -> HttpResponse:
    """What somebody accepted, word for word, with the moment: theirs to keep."""
    participant = participant_for(request, code)
    rows = list(participant.consents.order_by("at", "pk"))
    if not rows:
        raise Http404
    context = hour_frame(participant) | {"consents": [(row, chosen(row)) for row in rows]}
    return render(request, "people/consent_copy.html", context)


@require_GET
def consent_copy_pdf(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    """One of these as a file, made again to the same bytes whenever it is asked for."""
    participant = participant_for(request, code)
    row = participant.consents.filter(pk=pk).first()
    if row is None:
        raise Http404
    try:
        data = pdf(copy_of(row))
    except NoGlyphs:
        text = _("This text can't be made into a PDF here. Print the page, or save it, to keep it.")
        return notice(request, _("No PDF of this text"), text, 503, **hour_frame(participant))
    answer = HttpResponse(data, content_type="application/pdf")
    answer["Content-Disposition"] = f'attachment; filename="{participant.code}-consent-{row.pk}.pdf"'
    return answer
