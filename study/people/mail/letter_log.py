"""Which letters went and which did not: rows for staff, without addresses unless somebody asks for them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study
from study.people.mail.letter_kinds import label_of
from study.people.mail.reminding import BY_HAND
from study.people.models import Letter

A_PAGE = 50
STATES: dict[str, str | Promise] = {
    "due": _("waiting to be sent"),
    "deferred": _("put off by the server"),
    "sending": _("being sent"),
    "sent": _("sent"),
    "failed": _("not sent"),
    "bounced": _("came back"),
    "dropped": _("no longer needed"),
}


def state_of(letter: Letter) -> str:
    """The letter's state; a due one with an error was put off by the server (P-37)."""
    return "deferred" if letter.state == "due" and letter.error else letter.state


@dataclass(frozen=True)
class Row:
    letter: Letter
    kind: str
    state: str
    said: str
    wave: str
    delivered: bool


@dataclass(frozen=True)
class Wish:
    """What to show; empty for everything."""

    kind: str = ""
    state: str = ""
    cohort: str = ""


def letters_of(study: Study, wish: Wish) -> QuerySet[Letter]:
    rows = Letter.objects.filter(participant__study=study, participant__preview=False)
    if wish.kind:
        rows = rows.filter(kind=wish.kind)
    if wish.cohort:
        rows = rows.filter(participant__cohort__code=wish.cohort)
    if wish.state == "deferred":
        rows = rows.filter(state="due").exclude(error="")
    elif wish.state == "due":
        rows = rows.filter(state="due", error="")
    elif wish.state:
        rows = rows.filter(state=wish.state)
    return rows


def page_of(study: Study, wish: Wish, number: str) -> Page[Letter]:
    rows = letters_of(study, wish).select_related("participant__cohort", "participant__contact")
    return Paginator(rows.order_by("-due_at", "-pk"), A_PAGE).get_page(number)


def row_of(letter: Letter) -> Row:
    state = state_of(letter)
    by_hand = letter.kind.startswith("reminder_") and letter.wave >= BY_HAND
    wave = str(_("by hand")) if by_hand else str(letter.wave)
    said, kind = str(STATES.get(state, state)), label_of(letter.kind)
    return Row(letter, kind, state, said, wave, bool(letter.detail.get("delivered")))


def totals(study: Study) -> list[tuple[str, str, int]]:
    """Code, words and number of each state that occurs, in the order of ``STATES``."""
    rows = letters_of(study, Wish())
    counts = Counter(dict(rows.order_by("state").values_list("state").annotate(n=Count("pk"))))
    counts["deferred"] = rows.filter(state="due").exclude(error="").count()
    counts["due"] -= counts["deferred"]
    return [(code, str(words), counts[code]) for code, words in STATES.items() if counts[code]]


def kinds_of(study: Study) -> list[tuple[str, str]]:
    found = letters_of(study, Wish()).order_by("kind").values_list("kind", flat=True).distinct()
    return [(kind, label_of(kind)) for kind in found]
