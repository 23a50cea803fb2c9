"""Orientation: story and role, the guided look, timed moves, a practice question, a check; then the work begins."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.assignment.models import Visit
from study.fieldwork import moves, orienting, working
from study.fieldwork.dock import orientation_of
from study.fieldwork.saving import version_in
from study.fieldwork.visits import frame, visit_page
from study.people.models import Stage
from study.people.protocol import file_of
from study.sandbox.models import Purpose


def page(request: HttpRequest, visit: Visit, status: int = 200, **more: Any) -> HttpResponse:
    orientation = file_of(visit.protocol).orientation
    context = frame(
        visit,
        desk=working.desk_for_part(visit, Purpose.ORIENTATION),
        looked=orienting.looked(visit),
        moves=orientation.moves if moves.has_moves(visit) else None,
        steps=moves.steps_of(visit),
        practice=orienting.practice_of(visit),
        practised=visit.comprehension.get("practice"),
        feedback=orienting.practice_feedback(visit),
        check=orienting.check_of(visit),
        lines=orienting.check_lines(visit),
        tried=visit.comprehension_tries,
        check_done=orienting.check_done(visit),
        passed=orienting.passed(visit),
        tries_left=orienting.tries_of(visit) - visit.comprehension_tries,
    )
    return render(request, "fieldwork/orientation.html", context | more, status=status)


LONGEST_NUMBER = 200


def back_to(request: HttpRequest, visit: Visit, anchor: str) -> HttpResponse:
    """To the page of the CRM the form stood on, else to its part of the orientation."""
    back = request.POST.get("back", "")
    if back.startswith("/crm/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return redirect(back)
    return redirect(reverse("orientation", args=[visit.participant.code]) + anchor)


@require_GET
@visit_page(Stage.CONSENTED)
def orientation(request: HttpRequest, visit: Visit) -> HttpResponse:
    return page(request, visit)


@require_POST
@visit_page(Stage.CONSENTED)
def practice(request: HttpRequest, visit: Visit) -> HttpResponse:
    typed = request.POST.get("practice", "").strip()
    if not typed:
        return page(request, visit, 422, practice_problem=_("Type the number you found. A guess will do too."))
    if len(typed) > LONGEST_NUMBER:
        return page(request, visit, 422, practice_problem=_("This is longer than a number. Nothing was cut."))
    orienting.try_practice(visit, typed)
    return back_to(request, visit, "#practice")


@require_POST
@visit_page(Stage.CONSENTED)
def move_start(request: HttpRequest, visit: Visit, move: str) -> HttpResponse:
    """The clock of a move starts at the front page of the CRM, for everybody."""
    moves.start(visit, move)
    return redirect("crm_home", working.desk_for_part(visit, Purpose.ORIENTATION).code)


@require_POST
@visit_page(Stage.CONSENTED)
def move_leave(request: HttpRequest, visit: Visit, move: str) -> HttpResponse:
    moves.leave(visit, move)
    return back_to(request, visit, "#moves")


@require_POST
@visit_page(Stage.CONSENTED)
def move_help(request: HttpRequest, visit: Visit, move: str) -> HttpResponse:
    moves.help_with(visit, move)
    return back_to(request, visit, "#moves")


@require_GET
@visit_page(Stage.CONSENTED)
def moves_now(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The dock's part about the orientation as it stands after the page was shown; a script asks for it."""
    return render(request, "fieldwork/_dock_orientation.html", {"at": orientation_of(visit), "visit": visit})


@require_POST
@visit_page(Stage.CONSENTED)
def check(request: HttpRequest, visit: Visit) -> HttpResponse:
    items = orienting.items_of(visit)
    said = {item.id: request.POST.get(item.id, "") for item in items}
    if any(word not in orienting.WORDS for word in said.values()):
        return page(
            request,
            visit,
            422,
            check_problem=_("Each line needs true or false."),
            lines=orienting.check_lines(visit, said),
        )
    # A double press, or a page of before, is the try it was: it says how many there had been.
    orienting.try_check(visit, said, tried=version_in(request.POST.get("tried"), visit.comprehension_tries))
    return redirect(reverse("orientation", args=[visit.participant.code]) + "#check")


@require_POST
@visit_page(Stage.CONSENTED)
def start(request: HttpRequest, visit: Visit) -> HttpResponse:
    if still := orienting.still_open(visit):
        return page(request, visit, 422, still_open=still)
    working.start_work(visit)
    return redirect("work", visit.participant.code)
