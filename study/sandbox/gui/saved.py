"""What a person keeps in an Org: favourite records, and lists and reports under names of their own.

Rows belong to a person and an Org, not to a desk: who comes back to the same Org finds
them again. They go with the person (CASCADE), and ``forget`` takes them out when a
participant asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.models import User
from study.sandbox.engine.folding import clean_text, fold
from study.sandbox.gui.naming import names_of
from study.sandbox.gui.recent import Recent
from study.sandbox.gui.rooms import Missing, Room
from study.sandbox.models import Favourite, SavedView

LONGEST_NAME = 80
MOST_VIEWS = 200
MOST_FAVOURITES = 200
# Where one is on the way through a list is no part of the list.
_NOT_KEPT = frozenset({"page", "pick", "from", "record"})


class NotKept(ValueError):
    """What was to be kept has no name, one that is taken, or no room; the message says what to do."""


@dataclass(frozen=True)
class NameTaken(NotKept):
    """A view of this name is there already; it may be replaced."""

    name: str

    def __str__(self) -> str:
        return _("You have a view called “%(name)s” already. Choose another name, or replace it.") % {"name": self.name}


def views_of(room: Room, kind: str, name: str) -> list[SavedView]:
    """This person's views of one object in this Org, by name."""
    found = SavedView.objects.filter(user=room.desk.user, org=room.desk.org, kind=kind, object=name)
    return sorted(found, key=lambda view: fold(view.name))


def view_of(room: Room, pk: int) -> SavedView:
    """One of this person's own views in this Org. Missing for everybody else's (P-39)."""
    view = SavedView.objects.filter(user=room.desk.user, org=room.desk.org, pk=pk).first()
    if view is None:
        raise Missing
    return view


def address_of(room: Room, view: SavedView) -> str:
    base = room.report_url(view.object) if view.kind == SavedView.Kind.REPORT else room.list_url(view.object)
    return room.address(base, parse_qsl(view.query, keep_blank_values=True))


def kept_query(query: str) -> str:
    """The part of a query string that makes a list or report what it is."""
    pairs = parse_qsl(query.removeprefix("?"), keep_blank_values=True)
    return urlencode([(key, value) for key, value in pairs if key not in _NOT_KEPT])


def checked_name(name: str) -> str:
    """A name as it is kept. NotKept where it is empty or too long: nothing is cut."""
    said = " ".join(clean_text(name).split())
    if not said:
        raise NotKept(_("Give the view a name, such as “Open, last 4 months”."))
    if len(said) > LONGEST_NAME:
        message = _("A name has at most %(most)s characters; this one has %(n)s.")
        raise NotKept(message % {"most": LONGEST_NAME, "n": len(said)})
    return said


def save_view(room: Room, kind: str, object: str, name: str, query: str, *, replace: bool = False) -> SavedView:
    """Keep a list or report under a name.

    The same view under the same name is kept once, however often it is sent.
    NameTaken where another one has the name and ``replace`` is not asked for.
    """
    said, query = checked_name(name), kept_query(query)
    own = SavedView.objects.filter(user=room.desk.user, org=room.desk.org)
    if own.count() >= MOST_VIEWS:
        message = _("You have %(most)s views here, the most there can be. Delete one first.")
        raise NotKept(message % {"most": MOST_VIEWS})
    view, made = own.get_or_create(
        user=room.desk.user, org=room.desk.org, kind=kind, object=object, name=said, defaults={"query": query}
    )
    if not made and view.query != query:
        if not replace:
            raise NameTaken(said)
        view.query, view.saved_at = query, timezone.now()
        view.save(update_fields=["query", "saved_at"])
    return view


def rename_view(view: SavedView, name: str) -> SavedView:
    """Give a view another name. NameTaken where another view has it."""
    said = checked_name(name)
    try:
        with transaction.atomic():
            view.name = said
            view.save(update_fields=["name"])
    except IntegrityError:
        raise NameTaken(said) from None
    return view


def is_favourite(room: Room, record_id: str) -> bool:
    return Favourite.objects.filter(user=room.desk.user, org=room.desk.org, record=record_id).exists()


def set_favourite(room: Room, record_id: str, *, kept: bool) -> None:
    """Mark a record, or take the mark away; twice the same changes nothing."""
    own = Favourite.objects.filter(user=room.desk.user, org=room.desk.org)
    if not kept:
        own.filter(record=record_id).delete()
        return
    if own.count() >= MOST_FAVOURITES:
        message = _("You have %(most)s favourites here, the most there can be. Take one away first.")
        raise NotKept(message % {"most": MOST_FAVOURITES})
    own.get_or_create(user=room.desk.user, org=room.desk.org, record=record_id)


def favourites_of(room: Room, n: int = MOST_FAVOURITES) -> list[Recent]:
    """This person's favourites in this Org, the latest first."""
    marked = Favourite.objects.filter(user=room.desk.user, org=room.desk.org).order_by("-marked_at", "-pk")
    ids = list(marked.values_list("record", flat=True)[:n])
    names = names_of(room.snapshot, ids)
    items = {one: room.registry.object_for_id(one) for one in ids}
    return [Recent(item, one, names[one], room.record_url(one)) for one, item in items.items() if item and one in names]


def forget(user: User | None, orgs: Iterable[int]) -> None:
    """Delete everything a person kept in these Orgs."""
    for model in (SavedView, Favourite):
        model.objects.filter(user=user, org__in=list(orgs)).delete()
