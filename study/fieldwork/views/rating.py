"""The ratings: one card per target, the look before it, and the lock after the last."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.assignment.models import Visit
from study.fieldwork import locking, looks, ratings, saving, working
from study.fieldwork.answers import BadValue
from study.fieldwork.models import Rating
from study.fieldwork.slots import Closed
from study.fieldwork.visits import frame, visit_page
from study.people.models import Stage
from study.people.protocol import file_of
from study.protocols.parts import RATHER_NOT
from study.sandbox.models import Purpose


def rating_of(visit: Visit, target: str) -> Rating:
    """One of the visit's own ratings; 404 for a target it does not have."""
    ratings.prepare(visit)
    row = visit.ratings.filter(target=target, dimension=ratings.OVERALL, kind__in=ratings.RATED).first()
    if row is None:
        raise Http404
    row.visit = visit
    return row


@require_GET
@visit_page(Stage.RATING)
def overview(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Leads to the first card that still needs something, or to the lock."""
    following = next((line for line in ratings.progress(visit) if not line.whole), None)
    if following is None:
        return redirect("lock", visit.participant.code)
    return redirect("rate", visit.participant.code, following.rating.target)


@require_http_methods(["GET", "POST"])
@visit_page(Stage.RATING)
def rate(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    row = rating_of(visit, target)
    lines = ratings.progress(visit)
    if next(line for line in lines if line.rating.pk == row.pk).shut:
        return redirect("rate", visit.participant.code, ratings.ORG)
    if request.method == "POST":
        return take(request, row)
    ratings.show([row])
    return card(request, row)


def card(request: HttpRequest, row: Rating, status: int = 200, **more: Any) -> HttpResponse:
    visit = row.visit
    lines = ratings.progress(visit)
    here = next(n for n, line in enumerate(lines) if line.rating.pk == row.pk)
    row = lines[here].rating
    kept = {box.side: box for box in row.rationales.all()}
    typed = more.pop("typed", {})
    file = file_of(visit.protocol)
    boxes = [
        {
            "side": side,
            "label": {"right": file.rating.rationale.right, "off": file.rating.rationale.off}.get(side, _("Why?")),
            "text": typed.get(side, kept[side].text if side in kept else ""),
            "version": kept[side].version if side in kept else 0,
            "tags": typed.get("tags", kept[side].tags if side in kept else []),
            "save_id": uuid.uuid4().hex,
            "has_tags": side == "off" and ratings.has_tags(visit),
        }
        for side in ratings.sides_of(visit)
    ]
    is_object = row.target != ratings.ORG
    look = looks.look_records(row) if is_object and file.rating.look else []
    fillable = ratings.filled(row)
    context = frame(
        visit,
        look_intro=fillable(file.rating.look.intro) if file.rating.look else "",
        look_unfamiliar=fillable(file.rating.look.unfamiliar) if file.rating.look else "",
        rating=row, name=ratings.name_of(row), words=ratings.texts_of(row), card=ratings.card_of(row),
        stem=ratings.stem_of(row), options=list(zip(ratings.POINTS, ratings.card_of(row).options, strict=True)),
        reasons=ratings.reasons_of(row), look=look, looks=bool(file.rating.look) and is_object,
        may_rate=looks.may_rate(row), boxes=boxes, tags=ratings.OFF_TAGS, lines=lines, number=here + 1,
        following=next((line for line in lines[here + 1 :]), None), missing=ratings.missing(row),
        choice=typed.get("choice", row.final), reason=typed.get("reason", row.cannot_judge_reason),
        missing_words={part: [one.text, one.hint] for part, one in ratings.missing_words().items()},
        save_id=uuid.uuid4().hex, desk=working.desk_for_part(visit, Purpose.RATING),
    )  # fmt: skip
    return render(request, "fieldwork/card.html", context | more, status=status)


def take(request: HttpRequest, row: Rating) -> HttpResponse:
    """The whole card in one post: each part is saved as by itself, then the next card opens if this one is whole."""
    form = request.POST
    typed: dict[str, Any] = {side: form[side] for side in ratings.sides_of(row.visit) if side in form}
    typed |= {"tags": form.getlist("tags"), "choice": form.get("choice", ""), "reason": form.get("reason", "")}
    try:
        keep(row, form)
    except BadValue as bad:
        return card(request, row, 422, typed=typed, problem=str(bad))
    except saving.Stale as stale:
        words = _("Another tab has saved something else since. Yours stands in the fields; send it again to keep it.")
        return card(request, row, 409, typed=typed, problem=words, stored=in_words(row, stale.stored.value))
    except Closed as closed:
        return card(request, row, 409, typed=typed, problem=str(closed))
    row = ratings.progress(row.visit)[row.position].rating
    open_parts = ratings.missing(row)
    if open_parts and form.get("act") != "later":
        return card(request, row, 422, problem=_("Something is still missing here; the list says what."), pressed=True)
    below = file_of(row.visit.protocol).rating.rationale.hint_below
    short = row.final in ratings.POINTS and ratings.said(row) < below
    if short and not open_parts and not form.get("hinted"):
        return card(request, row, 200, hint=file_of(row.visit.protocol).rating.rationale.hint)
    return onward(row)


def in_words(row: Rating, value: Any) -> str:
    """A stored text or choice as the person read it."""
    if not isinstance(value, dict):
        return ""
    labels = {point: option.label for point, option in zip(ratings.POINTS, ratings.card_of(row).options, strict=True)}
    file = file_of(row.visit.protocol)
    labels |= {ratings.CANNOT_JUDGE: file.rating.cannot_judge.label, RATHER_NOT: file.wording.rather_not}
    return str(value.get("text") or labels.get(value.get("choice", ""), ""))


def keep(row: Rating, form: Any) -> None:
    """Save choice and boxes of a posted card, each with the version it began from."""
    visit, target = row.visit, row.target
    if form.get("choice"):
        value = {"choice": form["choice"], "reason": form.get("reason", "")}
        saving.save(
            visit, field=f"rating/{target}", value=value, base=saving.version_in(form.get("version"), row.version),
            save_id=form.get("save_id") or uuid.uuid4().hex,
        )  # fmt: skip
    for side in ratings.sides_of(visit):
        stored = row.rationales.filter(side=side).first()
        tags = form.getlist("tags") if side == "off" else []
        if side not in form or (not form[side].strip() and not tags and stored is None):
            continue
        saving.save(
            visit, field=f"rationale/{target}/{side}", value={"text": form[side], "tags": tags},
            base=saving.version_in(form.get(f"version_{side}"), stored.version if stored else 0),
            save_id=form.get(f"save_id_{side}") or uuid.uuid4().hex,
        )  # fmt: skip


def onward(row: Rating) -> HttpResponse:
    """The card after this one; after the last, the first that is open, or the lock."""
    lines = ratings.progress(row.visit)
    after = [line for line in lines if line.rating.position > row.position]
    if after:
        return redirect("rate", row.visit.participant.code, after[0].rating.target)
    return redirect("lock", row.visit.participant.code)


@require_POST
@visit_page(Stage.RATING)
def unfamiliar(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """ "I don't know this kind of record": the options open without a look (M3)."""
    row = rating_of(visit, target)
    Rating.objects.filter(pk=row.pk, locked_at__isnull=True).update(unfamiliar=True)
    return redirect("rate", visit.participant.code, target)


@require_GET
@visit_page(Stage.RATING)
def seen(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """Whether the options are open by now, for a card that has a record open in another tab."""
    row = rating_of(visit, target)
    opened = [one.id for one in looks.look_records(row) if one.opened] if row.target != ratings.ORG else []
    return JsonResponse({"may_rate": looks.may_rate(row), "opened": opened})


@require_http_methods(["GET", "POST"])
@visit_page(Stage.RATING)
def lock(request: HttpRequest, visit: Visit) -> HttpResponse:
    lines = ratings.progress(visit)
    still = [line for line in lines if not line.whole]
    if request.method == "POST" and (not still or request.POST.get("leave_open") == "yes"):
        locking.lock(visit)
        return redirect("closing", visit.participant.code)
    context = frame(visit, lines=lines, still=still, pressed=request.method == "POST")
    return render(request, "fieldwork/lock.html", context, status=422 if request.method == "POST" else 200)
