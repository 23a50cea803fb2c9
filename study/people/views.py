"""The way through the hour: key, screener, coming back, leaving. Doors stand apart; consent is in assignment."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.models import User
from study.accounts.views import PASSWORDLESS
from study.people import flows, withdrawal
from study.people.access import hour_page, participant_for, seen
from study.people.frame import hour_frame
from study.people.items import Filled, read_items, show_items
from study.people.models import End, Participant, Stage
from study.people.pay.pay_owing import rule_for
from study.people.protocol import file_of, protocol_of
from study.people.screener import items_of, orders_for, submit
from study.people.ways import computer, joining
from study.people.ways.doors import KEY, OPENING
from study.people.where import url_for
from study.protocols.schema import ProtocolFile


@never_cache
@require_http_methods(OPENING)
def hour_key(request: HttpRequest, code: str) -> HttpResponse:
    """The resume key, on screen until its owner says that they have noted it; then it is nowhere but with them."""
    participant = participant_for(request, code)
    if request.method == "POST":
        request.session.pop(KEY, None)
    key = request.session.get(KEY)
    if not key:
        return redirect(url_for(participant))
    return render(request, "people/key.html", hour_frame(participant) | {"key": key})


@never_cache
@require_GET
def hour(request: HttpRequest) -> HttpResponse:
    """Leads a participant to their page; offers everybody else the ways in."""
    participant = joining.newest_of(request.user) if isinstance(request.user, User) else None
    if participant is not None:
        return redirect(url_for(participant))
    after = request.GET.get("next", "")
    if not after.startswith("/hour/") or not url_has_allowed_host_and_scheme(after, allowed_hosts=None):
        after = reverse("hour")
    return render(request, "people/hour.html", {"after": after, "cohorts": joining.cohorts_on_show()})


@require_http_methods(OPENING)
def hour_resume(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return redirect("hour")
    key = request.POST.get("key", "")
    participant = joining.by_resume_key(key) or computer.by_short_code(key)
    if participant is None or participant.user is None:
        problem = _("No one has this key. A key has 12 letters and digits, a code for your computer 8.")
        context = {"problem": problem, "key": request.POST.get("key", ""), "after": reverse("hour")}
        return render(request, "people/hour.html", context, status=422)
    login(request, participant.user, backend=PASSWORDLESS)
    return redirect(url_for(participant))


@never_cache
@require_http_methods(OPENING)
def screener(request: HttpRequest, code: str) -> HttpResponse:
    participant = participant_for(request, code)
    first = participant.stage == Stage.JOINED and not participant.end
    if not first and request.method != "POST":
        return redirect(url_for(participant))
    file = file_of(protocol_of(participant.cohort))
    items = items_of(file)
    filled = read_items(items, request.POST) if request.method == "POST" else Filled()
    if first and (request.method != "POST" or not filled.complete):
        seen(participant)
        form = request.POST if request.method == "POST" else None
        shown = show_items(items, orders_for(participant, file), form, filled)
        context = hour_frame(participant) | {"items": shown, "problems": [s for s in shown if s.problem]}
        return render(request, "people/screener.html", context, status=422 if form else 200)
    if first or (filled.complete and participant.screenings.exists()):
        submit(participant, file, filled)
    return redirect(url_for(participant))


@require_POST
@hour_page(Stage.ELIGIBLE)
def consent_decline(request: HttpRequest, participant: Participant) -> HttpResponse:
    flows.end(participant, End.NO_CONSENT, "declined the consent")
    return redirect(url_for(participant))


@never_cache
@require_http_methods(OPENING)
@hour_page(*flows.ORDER, bound=False)
def leave(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Leaving takes one page and no reason. Whether answers stay is asked once something was answered."""
    asks = participant.consents.exists()
    choice = request.POST.get("data", "") if asks else withdrawal.TAKE_OUT
    if request.method == "POST" and choice in (withdrawal.KEEP, withdrawal.TAKE_OUT):
        flows.withdraw(participant, data_choice=choice)
        return redirect(url_for(participant))
    missing = request.method == "POST"
    context = hour_frame(participant) | {"asks": asks, "missing": missing, "back": url_for(participant)}
    return render(request, "people/leave.html", context, status=422 if missing else 200)


@never_cache
@require_GET
def hour_of(request: HttpRequest, code: str) -> HttpResponse:
    """The hour of one participation: leads to where they are."""
    return redirect(url_for(participant_for(request, code)))


def told(participant: Participant, file: ProtocolFile) -> dict[str, str]:
    """What somebody who has ended reads: the words of their end, what is paid, and what is kept."""
    texts = {
        End.SCREENED_OUT: (file.screener.refusal, file.pay.screened_out),
        End.FULL: (file.screener.full, file.pay.full),
        End.NO_CONSENT: (file.completion.no_consent, file.pay.no_consent),
        End.WITHDRAWN: (file.completion.withdrawn, file.pay.withdrawn),
        End.LAPSED: (file.completion.lapsed, ""),
        End.EXCLUDED: (file.completion.lapsed, ""),
    }
    text, pay = texts[End(participant.end)]
    kept = ""
    if participant.end == End.LAPSED:
        # Ratings of an earlier visit were locked: that visit is whole.
        whole = participant.stage_events.filter(stage=Stage.LOCKED, end="").exists()
        kept = _("Everything you had answered is kept as it stands and counts as far as it goes.")
        if whole:
            kept, pay = _("Your earlier visit is complete. It is kept and counts in full."), file.pay.complete
    if participant.end == End.WITHDRAWN and rule_for(participant) == End.NO_CONSENT:
        pay = file.pay.no_consent  # they left before the work had begun
    if participant.end == End.WITHDRAWN and participant.data_choice == withdrawal.TAKE_OUT:
        text = _("You have left the study. Your answers have been taken out, as you asked; only counts are left.")
    return {"text": text, "pay": pay, "kept": kept}


@never_cache
@require_GET
def ended(request: HttpRequest, code: str) -> HttpResponse:
    """Every end but the complete one: a neutral text and the code."""
    participant = participant_for(request, code)
    if not participant.end or participant.end == End.COMPLETE:
        return redirect(url_for(participant))
    file = file_of(protocol_of(participant.cohort))
    return render(request, "people/ended.html", hour_frame(participant) | told(participant, file))
