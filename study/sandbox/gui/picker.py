"""The views of an object's list: what comes with it, what its layout holds, what a person saved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl, urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import QueryError
from study.sandbox.gui import saved
from study.sandbox.gui.criteria import Pairs
from study.sandbox.gui.home import flow_field
from study.sandbox.gui.listing import ListView
from study.sandbox.models import SavedView

_LAYOUT = frozenset({"view", "chart"})


@dataclass(frozen=True)
class Named:
    """A view with its address; ``own`` where the person may rename or delete it."""

    name: str
    url: str
    now: bool
    own: SavedView | None = None


@dataclass(frozen=True)
class Picker:
    """Every view of one object that a person can choose, and which of them is on screen."""

    view: ListView

    @cached_property
    def query(self) -> str:
        """What is on screen, as it would be saved."""
        return urlencode(self.view.pairs())

    @cached_property
    def built_in(self) -> list[Named]:
        every = _("All %(plural)s") % {"plural": self.view.item.plural}
        return [self._named(every, ""), self._named(_("Opened lately"), "lately=1")]

    @cached_property
    def standard(self) -> list[Named]:
        return [self._named(one.name, one.query) for one in self.view.item.views if self._works(one.query)]

    @cached_property
    def own(self) -> list[Named]:
        views = saved.views_of(self.view.room, SavedView.Kind.LIST, self.view.item.name)
        return [self._named(one.name, one.query, one) for one in views]

    def _named(self, name: str, query: str, own: SavedView | None = None) -> Named:
        pairs = parse_qsl(query, keep_blank_values=True)
        room, item = self.view.room, self.view.item
        return Named(name, room.address(room.list_url(item.name), pairs), self._shown(query, pairs), own)

    def _shown(self, query: str, pairs: Pairs) -> bool:
        """Whether this is what is on screen, however its parameters are ordered; a board of it is still it."""
        if query == self.query:
            return True
        laid_out = any(name in _LAYOUT for name, _value in pairs)
        now = [pair for pair in self.view.pairs() if laid_out or pair[0] not in _LAYOUT]
        if sorted(pairs) != sorted(now):
            return False
        return ListView(self.view.room, self.view.item, QueryDict(query)).pairs() == now

    def _works(self, query: str) -> bool:
        """Whether a standard view of the layout names only what this Org has."""
        try:
            ListView(self.view.room, self.view.item, QueryDict(query)).spec  # noqa: B018 - reading it is the check
        except QueryError:
            return False
        return True

    @cached_property
    def now(self) -> Named | None:
        """The view on screen, a person's own before the others."""
        return next((one for one in (*self.own, *self.standard, *self.built_in) if one.now), None)

    @property
    def title(self) -> str:
        """What stands above the list: the name of the view, else the object's."""
        return self.now.name if self.now else self.view.item.plural

    @property
    def changed(self) -> bool:
        """Whether what is on screen has no name yet."""
        return self.now is None

    @cached_property
    def layouts(self) -> list[tuple[str, str, str, str]]:
        """The ways the list can be shown: (name, address, words, icon)."""
        found = [("", _("As a table"), "table-2"), ("split", _("Beside a record"), "panel-left")]
        if flow_field(self.view.item) is not None:
            found.insert(1, ("board", _("As a board"), "square-kanban"))
        return [(name, self.view.address(layout=name), words, icon) for name, words, icon in found]
