"""The doors that no mailbox stands behind: a cohort's open link, and the link that a panel sends people to."""

from __future__ import annotations

import secrets

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from study.accounts.models import User
from study.accounts.views import PASSWORDLESS
from study.people import flows
from study.people.frame import cohort_frame
from study.people.language import offered
from study.people.models import Cohort, Participant
from study.people.ways import arrivals, joining
from study.people.ways.arrivals import Arrival
from study.people.ways.doors import KEY, OPENING, meet, notice
from study.people.ways.panels import Panel, panel_of
from study.people.ways.staff_conflicts import why_not_join
from study.people.where import url_for


def cohort_behind(link: str) -> Cohort:
    """The cohort of a link; 404 for one that nobody has, or that was renewed."""
    cohort = Cohort.objects.select_related("study").filter(open_link=link).exclude(open_link="").first()
    if cohort is None:
        raise Http404
    return cohort


def mine_in(cohort: Cohort, user: User | None) -> Participant | None:
    """The participation in this study of whoever is signed in."""
    return Participant.objects.filter(study=cohort.study, user=user, preview=False).first() if user else None


@never_cache
@require_http_methods(OPENING)
def open_link(request: HttpRequest, link: str) -> HttpResponse:
    cohort = cohort_behind(link)
    if panel_of(cohort):
        # Nobody comes round the panel's id by the other address.
        query = request.META.get("QUERY_STRING", "")
        return redirect(reverse("panel_entry", args=[link]) + (f"?{query}" if query else ""))
    user = request.user if isinstance(request.user, User) else None
    if mine := mine_in(cohort, user):
        return redirect(url_for(mine))
    language = meet(request, cohort) if cohort.opened_at else ""
    if closed := why_not_join(cohort.study, user) or flows.why_closed(cohort):
        return notice(request, _("Not just now"), closed, 200, **(cohort_frame(cohort) if cohort.opened_at else {}))
    once = request.POST.get("once", "")
    if request.method != "POST" or not once or (user and not request.POST.get("switch")):
        context = cohort_frame(cohort) | {"other": bool(user), "once": secrets.token_urlsafe(18)}
        context |= {"languages": offered(context["protocol"], language)}
        return render(request, "people/open_link.html", context, status=409 if request.method == "POST" else 200)
    participant, key = joining.join_by_link(cohort, once)
    return let_in(request, participant, key, language)


def let_in(request: HttpRequest, participant: Participant, key: str, language: str) -> HttpResponse:
    """Sign in whoever has just joined, and show them their key once."""
    joining.keep_language(participant, language)
    login(request, participant.user, backend=PASSWORDLESS)
    if not key:
        return redirect(url_for(participant))
    request.session[KEY] = key
    return redirect("hour_key", participant.code)


@never_cache
@require_http_methods(OPENING)
def panel_entry(request: HttpRequest, link: str) -> HttpResponse:
    """From a panel: the parameters stay with the page until somebody presses the button; only then are they stored."""
    cohort = cohort_behind(link)
    panel = panel_of(cohort)
    if panel is None:
        raise Http404
    arrival = arrivals.read(panel, request.POST if request.method == "POST" else request.GET)
    user = request.user if isinstance(request.user, User) else None
    if (mine := mine_in(cohort, user)) and is_theirs(cohort, panel, arrival, mine):
        return redirect(url_for(mine))
    language = meet(request, cohort) if cohort.opened_at else ""
    team = why_not_join(cohort.study, user)
    if request.method == "POST" and cohort.opened_at and not team:
        return take_part(request, cohort, panel, arrival, language)
    if closed := team or flows.why_closed(cohort):
        return notice(request, _("Not just now"), closed, 200, **(cohort_frame(cohort) if cohort.opened_at else {}))
    return panel_page(request, cohort, panel, arrival, language)


def take_part(request: HttpRequest, cohort: Cohort, panel: Panel, arrival: Arrival, language: str) -> HttpResponse:
    """The button of a panel's door."""
    user = request.user if isinstance(request.user, User) else None
    arrival = arrivals.with_typed(arrival, request.POST.get("panel_id", ""))
    once = request.POST.get("once", "")
    if not arrival.id or not once or (user and not request.POST.get("switch")):
        return panel_page(request, cohort, panel, arrival, language)
    try:
        joined = arrivals.join(cohort, arrival, once, user)
    except arrivals.KnownId:
        context = cohort_frame(cohort) | {"panel": panel}
        return render(request, "people/panel_known.html", context, status=409)
    except flows.NotOpen as closed:
        return notice(request, _("Not just now"), str(closed), 409, **cohort_frame(cohort))
    return let_in(request, joined.participant, joined.key, language)


def is_theirs(cohort: Cohort, panel: Panel, arrival: Arrival, mine: Participant) -> bool:
    """Whether a link is that of the person signed in: by its id, or because it names nobody (P-05)."""
    contact = getattr(mine, "contact", None)
    if not arrival.id or contact is None or not contact.panel_hash:
        return not arrival.id
    return bool(contact.panel_hash == arrivals.panel_hash(cohort, panel, arrival.id))


def panel_page(request: HttpRequest, cohort: Cohort, panel: Panel, arrival: Arrival, language: str) -> HttpResponse:
    """The door itself. An id that is missing or in doubt is asked for; whoever is signed in is asked about first."""
    posted = request.method == "POST"
    typed = request.POST.get("panel_id", "")
    problem = arrivals.why_no_id(typed.strip()) if posted and not arrival.id else ""
    context = cohort_frame(cohort) | {
        "panel": panel,
        "arrival": arrival,
        "carried": arrival.sealed(),
        "typed": typed,
        "problem": problem,
        "other": isinstance(request.user, User),
        "once": secrets.token_urlsafe(18),
    }
    context |= {"languages": offered(context["protocol"], language)}
    status = 422 if problem else 409 if posted else 200
    return render(request, "people/panel_entry.html", context, status=status)
