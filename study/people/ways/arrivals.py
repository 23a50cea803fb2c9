"""Arriving from a panel: what its link said, what was odd about it, and one participant per id (P-04)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from study.accounts.encrypted import Unreadable, keyed_hash, opened, sealed
from study.accounts.models import User
from study.accounts.typed_text import visible_text
from study.people.flows import NotOpen
from study.people.mail.unsubscribing import ERASED
from study.people.models import Cohort, Contact, PanelArrival, Participant, Suppression
from study.people.ways import joining
from study.people.ways.panels import LONGEST, NO_ID, PLACEHOLDER, Panel, panel_of

MISSING, PLACEHOLDER_LEFT, DOUBLED, REPEATED = "missing", "placeholder", "doubled", "repeated"
SHORTEST = 3


class Query(Protocol):
    def getlist(self, key: str) -> list[str]: ...
    def __iter__(self) -> Iterator[str]: ...


@dataclass(frozen=True)
class Arrival:
    """What a panel's link said: values by meaning (id, study, session), and what was odd about the id."""

    values: dict[str, str] = field(default_factory=dict)
    flag: str = ""
    typed: bool = False

    @property
    def id(self) -> str:
        return self.values.get("id", "")

    def sealed(self) -> str:
        """As the form and the links of the page carry it on: nobody can read or change it on the way."""
        return sealed(json.dumps({"values": self.values, "flag": self.flag}))


def read(panel: Panel, query: Query) -> Arrival:
    """The parameters of a link. Case of their names makes no difference; an id in doubt is left out and flagged."""
    if carried := query.getlist("arrival"):
        return _unsealed(carried[-1])
    meaning = {name.lower(): part for name, part in panel.parameters.items()}
    found: dict[str, set[str]] = {}
    for key in query:
        if part := meaning.get(key.lower()):
            values = {visible_text(value).strip()[:LONGEST] for value in query.getlist(key)}
            found.setdefault(part, set()).update(value for value in values if value)
    arrival = Arrival({part: values.pop() for part, values in found.items() if part != "id" and len(values) == 1})
    ids = found.get("id", set())
    if not ids:
        return replace(arrival, flag=MISSING)
    if len(ids) > 1:
        return replace(arrival, flag=DOUBLED)
    [one] = ids
    if PLACEHOLDER.search(one) or NO_ID.search(one) or one.lower() in meaning:
        return replace(arrival, flag=PLACEHOLDER_LEFT)
    return replace(arrival, values=arrival.values | {"id": one})


def _unsealed(text: str) -> Arrival:
    try:
        kept = json.loads(opened(text))
        return Arrival({str(k): str(v) for k, v in kept["values"].items()}, str(kept["flag"]))
    except (Unreadable, ValueError, KeyError, AttributeError, TypeError):
        return Arrival(flag=MISSING)


def with_typed(arrival: Arrival, typed: str) -> Arrival:
    """The id that somebody typed because the link held none. What was odd about the link stays noted."""
    text = visible_text(typed).strip()
    if arrival.id or why_no_id(text):
        return arrival
    return replace(arrival, values=arrival.values | {"id": text}, typed=True)


def why_no_id(text: str) -> str:
    """What is wrong with a typed id; empty for one that can be one."""
    if not text:
        return _("Type the id that the panel knows you by.")
    if not SHORTEST <= len(text) <= LONGEST or PLACEHOLDER.search(text) or NO_ID.search(text):
        return _("This does not look like an id. Copy it from your account page there.")
    if "@" in text:
        return _("This is an e-mail address. Do not give it here; only the id is needed.")
    return ""


def panel_hash(cohort: Cohort, panel: Panel, id: str) -> str:
    """By which an id is found again in a study, whatever its case; other panels may use the same ids."""
    return keyed_hash(f"panel:{cohort.study_id}:{panel.preset.kind}", id.casefold())


class KnownId(Exception):
    """Somebody takes part with this id already, in another browser. Nothing is said about how far they are."""


@dataclass(frozen=True)
class Joined:
    participant: Participant
    key: str
    """The resume key of a new participation; empty for somebody who came back."""


def join(cohort: Cohort, arrival: Arrival, once: str, user: User | None) -> Joined:
    """Take part with a panel's id: once per id, by database key (P-04, P-08).

    The same form again leads to the same participation, and so does the browser that is signed in as its person. Any
    other browser raises KnownId: an id alone opens nothing. Raises NotOpen while the cohort takes nobody.
    """
    panel = panel_of(cohort)
    if panel is None or not arrival.id:
        raise ValueError("There is no panel, or no id to join with.")
    mark = panel_hash(cohort, panel, arrival.id)
    if mark in erased_marks(cohort, [mark]):
        raise NotOpen(_("Somebody has taken part with this id already, and nobody takes part twice."))
    if known := _known(mark):
        return _came_back(cohort, arrival, known, mark, once, user)
    try:
        with transaction.atomic():
            participant, key = joining.join_by_link(cohort, once, channel="panel")
            # A form sent twice was answered by the first of the two: then this is there already.
            Contact.objects.get_or_create(
                participant=participant, defaults={"panel_id": arrival.id, "panel_hash": mark}
            )
            _note(cohort, arrival, mark, participant)
            return Joined(participant, key)
    except IntegrityError:
        known = _known(mark)
        if known is None:
            raise
    return _came_back(cohort, arrival, known, mark, once, user)


def erased_marks(cohort: Cohort, marks: Iterable[str]) -> set[str]:
    """Those of people who were erased: they do not come again, and no list brings their id back (P-43)."""
    rows = Suppression.objects.filter(study_id=cohort.study_id, reason=ERASED)
    return set(rows.values_list("email_hash", flat=True)) & set(marks)


def _known(mark: str) -> Participant | None:
    return Participant.objects.select_related("user", "cohort", "study").filter(contact__panel_hash=mark).first()


def _came_back(cohort: Cohort, arrival: Arrival, known: Participant, mark: str, once: str, user: User | None) -> Joined:
    if user is not None and known.user_id == user.pk:
        _note(cohort, arrival, mark, known, flag=arrival.flag)
        return Joined(known, "")
    if joining.made_by(cohort, once) == known.pk:
        key = joining.renew_key(known)
        return Joined(known, key)
    _note(cohort, arrival, mark, known, flag=REPEATED)
    raise KnownId


def _note(cohort: Cohort, arrival: Arrival, mark: str, participant: Participant, flag: str | None = None) -> None:
    kept: Any = arrival.values | ({"typed": "yes"} if arrival.typed else {})
    PanelArrival.objects.create(
        cohort=cohort,
        participant=participant,
        parameters=kept,
        panel_hash=mark,
        flag=arrival.flag if flag is None else flag,
    )
