"""What waits for a coordinator (M21): each app tells the cases it knows of, one list shows them all.

A source is registered in ``AppConfig.ready`` and asked for each page: it reads, it changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study


@dataclass(frozen=True)
class Need:
    """One case: what it is, whom it is about, since when, and where it is dealt with.

    ``kind`` groups cases ("stuck", "help", "bounced", "unpaid" …); ``code`` is the participant's, empty for a case
    that is about no one person.
    """

    kind: str
    text: str
    detail: str
    url: str
    act: str
    """The words of the link: a verb with its object."""
    since: datetime | None = None
    code: str = ""


# How the kinds are called where cases are counted; one that is not here is called by its own name.
KINDS: dict[str, Promise] = {
    "stuck": _("stuck"),
    "help": _("help asked for"),
    "quiet": _("gone quiet"),
    "not_begun": _("confirmed, not begun"),
    "second_device": _("on two devices"),
    "incident": _("incident"),
    "slot": _("slots"),
    "bounced": _("addresses that refuse"),
    "panel": _("panel and platform disagree"),
    "unpaid": _("usable, not paid"),
    "paid_unusable": _("paid, not usable"),
    "enough": _("enough people"),
    "erasure": _("erasure asked for"),
    "retention": _("contacts that will be deleted"),
}


def label_of(kind: str) -> str:
    return str(KINDS.get(kind, kind.replace("_", " ")))


Source = Callable[[Study], Iterable[Need]]
_sources: dict[str, Source] = {}


def source(name: str) -> Callable[[Source], Source]:
    """Let a function tell what waits; ``name`` is unique."""

    def register(tell: Source) -> Source:
        if _sources.setdefault(name, tell) is not tell:
            raise ValueError(f"There are two sources called {name!r}.")
        return tell

    return register


# Somebody sits there now: these come first.
URGENT = ("incident", "help", "stuck", "second_device")


def needs(study: Study) -> list[Need]:
    """Everything that waits in a study: people who sit there now, then the longest waiting; without a moment last."""
    found = [need for tell in _sources.values() for need in tell(study)]
    return sorted(found, key=_place)


def _place(need: Need) -> tuple[bool, bool, float, str]:
    at = need.since.timestamp() if need.since else 0.0
    return need.kind not in URGENT, need.since is None, at, need.kind
