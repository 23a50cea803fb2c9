"""Orientation: story and role, the kinds of record, a practice question, a check; then the work begins."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.assignment.models import Visit
from study.fieldwork import orienting, working
from study.fieldwork.visits import frame, visit_page
from study.people.models import Stage
from study.people.protocol import file_of
from study.sandbox.models import Purpose


def page(request: HttpRequest, visit: Visit, status: int = 200, **more: Any) -> HttpResponse:
    file = file_of(visit.protocol)
    practised = visit.comprehension.get("practice")
    context = frame(
        visit,
        desk=working.desk_for_part(visit, Purpose.ORIENTATION),
        objects=file.oriented(visit.arm),
        practised=practised,
        feedback=orienting.practice_feedback(visit, practised) if practised is not None else "",
        lines=orienting.check_lines(visit),
        tried=visit.comprehension_tries,
        check_done=orienting.check_done(visit),
        passed=orienting.passed(visit),
        tries_left=orienting.tries_of(visit) - visit.comprehension_tries,
    )
    return render(request, "fieldwork/orientation.html", context | more, status=status)


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
    orienting.try_practice(visit, typed)
    return redirect(reverse("orientation", args=[visit.participant.code]) + "#practice")


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
    orienting.try_check(visit, said)
    return redirect(reverse("orientation", args=[visit.participant.code]) + "#check")


@require_POST
@visit_page(Stage.CONSENTED)
def start(request: HttpRequest, visit: Visit) -> HttpResponse:
    if still := orienting.still_open(visit):
        return page(request, visit, 422, still_open=still)
    working.start_work(visit)
    return redirect("work", visit.participant.code)
