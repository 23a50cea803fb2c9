"""Cards after the lock, one a page: a record, a dossier, or two records side by side, and one choice."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from study.assignment.models import Visit
from study.fieldwork import cards, saving
from study.fieldwork.answers import BadValue
from study.fieldwork.models import CardShown
from study.fieldwork.modules import modules_of
from study.fieldwork.ratings import CANNOT_JUDGE, inner
from study.fieldwork.slots import Closed
from study.fieldwork.visits import frame, visit_page
from study.people.models import Stage
from study.people.protocol import file_of
from study.protocols.hour import Module
from study.protocols.markup import fill
from study.protocols.parts import RATHER_NOT


@require_http_methods(["GET", "POST"])
@visit_page(Stage.LOCKED)
def card(request: HttpRequest, visit: Visit, part: str, number: int) -> HttpResponse:
    module = next((one for one in modules_of(visit) if one.id == part and one.cards), None)
    given = cards.cards_of(visit, module) if module else []
    one = next((row for row in given if row.position == number), None)
    if module is None or one is None:
        raise Http404
    one.visit = visit
    cards.show_card(one)
    if request.method != "POST":
        return card_page(request, one, module, len(given))
    problem, status = keep(request, one, module)
    if problem:
        return card_page(request, one, module, len(given), problem, status)
    return redirect(after(visit, module, number, len(given)))


def after(visit: Visit, module: Module, number: int, total: int) -> str:
    """The next card; after the last one the first still open, then the module's questions or whatever follows."""
    code = visit.participant.code
    still = number + 1 if number < total else cards.open_card(visit, module)
    if still is not None:
        return reverse("closing_card", args=[code, module.id, still])
    return reverse("closing_part", args=[code, module.id]) if module.items else reverse("closing", args=[code])


def in_words(one: CardShown, module: Module, stored: dict[str, str]) -> str:
    """A stored choice as it stands on the card."""
    part, wording = module.cards, file_of(one.visit.protocol).wording
    said = {str(n): option.label for n, option in enumerate(part.options if part else (), start=1)}
    said |= {RATHER_NOT: wording.rather_not, CANNOT_JUDGE: (part.cannot_judge if part else "") or ""}
    return f"“{said.get(stored['choice'], '')}”"


def keep(request: HttpRequest, one: CardShown, module: Module) -> tuple[str, int]:
    """Save what was chosen; the words and the status of what is wrong, if anything is."""
    rating = cards.rating_of(one)
    choice = request.POST.get("choice", "")
    if not choice:
        return ("", 200) if rating.final else (_("Choose one of the options; any of them will do."), 422)
    try:
        saving.save(
            one.visit, field=f"card/{one.target}", value={"choice": choice},
            base=saving.version_in(request.POST.get("version"), rating.version),
            save_id=request.POST.get("save_id") or uuid.uuid4().hex, form=True,
        )  # fmt: skip
    except (BadValue, Closed) as error:
        return str(error), 422
    except saving.Stale as stale:
        words = _("Another tab has saved another choice since: %(choice)s. Send yours again to keep it.")
        return words % {"choice": in_words(one, module, stale.stored.value)}, 409
    return "", 200


def card_page(
    request: HttpRequest, one: CardShown, module: Module, total: int, problem: str = "", status: int = 200
) -> HttpResponse:
    part = module.cards
    if part is None:
        raise Http404
    rating = cards.rating_of(one)
    kind = cards.kind_of_record(one)
    context = frame(
        one.visit, card=one, module=module, part=part, total=total, before=one.position - 1, rating=rating,
        problem=problem, shown=cards.shown(one), stem=fill(part.stem, object=inner(kind)), save_id=uuid.uuid4().hex,
        choice=request.POST.get("choice") or rating.final,
        options=[(str(n), option) for n, option in enumerate(part.options, start=1)],
    )  # fmt: skip
    return render(request, "fieldwork/shown_card.html", context, status=status)
