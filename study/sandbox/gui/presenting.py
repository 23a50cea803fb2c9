"""Values as people read them: names for Ids, days for moments, a dot before a status, blanks for nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache

import lucide
from django.utils.formats import number_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.frozen_today import day_words, local, moment_words
from study.sandbox.gui.finding import Finder
from study.sandbox.gui.naming import looks_like_id, names_of
from study.sandbox.gui.rooms import Room

# Kinds of dot; the word beside it says the same, so colour is never the only sign.
_DOTS = {
    "hi": {"high", "critical", "urgent", "escalated", "rejected", "lost", "overdue", "negative", "blocked"},
    "md": {"medium", "normal", "waiting", "waiting on customer", "on hold", "pending", "needs review", "in review"},
    "lo": {"low", "draft", "not started", "inactive", "unqualified", "deferred", "expired", "neutral"},
    "new": {"new", "open", "qualification", "presented"},
    "work": {"working", "in progress", "assigned", "discovery", "negotiation", "quote", "nurturing", "contacted"},
    "done": {"closed", "completed", "activated", "accepted", "approved", "resolved", "active", "won", "positive"},
}
_DOT_OF = {word: dot for dot, words in _DOTS.items() for word in words}
_PLAIN_LENGTH = 140
# A text longer than this, or of more lines, is folded on record pages; it stays whole in the page and can be found.
FOLD_AFTER, FOLD_LINES = 1_500, 24


@lru_cache(maxsize=256)
def icon(name: str, size: int = 16, css: str = "i") -> SafeString:
    """An icon, drawn once; hidden from assistive technology because words stand beside it."""
    attributes = {"class": css, "aria-hidden": "true"}
    try:
        drawn = lucide._render_icon(name, size, **attributes)
    except lucide.IconDoesNotExist:
        drawn = lucide._render_icon("square", size, **attributes)
    return mark_safe(drawn)


def copied_id(record_id: str, name: str = "", url: str = "") -> SafeString:
    """An Id in full with its copy button; with ``url`` the Id leads to its record."""
    label = _("Copy Id of %(name)s") % {"name": name or record_id}
    shown = format_html('<span class="id" translate="no">{}</span>', record_id)
    if url:
        shown = format_html('<a class="id" translate="no" href="{}">{}</a>', url, record_id)
    button = '<button type="button" class="copy" data-copy="{}" aria-label="{}" title="{}">{}</button>'
    copy = format_html(button, record_id, label, _("Copy Id"), icon("copy", 13))
    return format_html('<span class="ident">{}{}</span>', shown, copy)


def missing_parent(record_id: str) -> SafeString:
    """A lookup whose record this Org does not hold: says so, and keeps the Id."""
    return format_html('<span class="gone">{}</span> {}', _("Not in this Org"), copied_id(record_id))


def object_icon(item: ObjectDef, *, small: bool = False) -> SafeString:
    """The object's white glyph on its own colour; drawn, because the colour comes with the Org."""
    return _object_icon(item.icon or "square", item.color or "#6B6F76", 18 if small else 30)


@lru_cache(maxsize=256)
def _object_icon(name: str, color: str, size: int) -> SafeString:
    inner = 11 if size == 18 else 17
    place = {"x": str((size - inner) / 2), "y": str((size - inner) / 2), "stroke": "#ffffff"}
    try:
        drawn = lucide._render_icon(name, inner, **place)
    except lucide.IconDoesNotExist:
        drawn = lucide._render_icon("square", inner, **place)
    box = '<svg class="obj" width="{0}" height="{0}" viewBox="0 0 {0} {0}" aria-hidden="true" focusable="false">'
    rect = '<rect width="{0}" height="{0}" rx="{1}" fill="{2}"></rect>{3}</svg>'
    return format_html(box + rect, size, 4 if size == 18 else 6, color, mark_safe(drawn))


class Shower:
    """Shows values of one page; asks for all the names it needs at once."""

    def __init__(self, room: Room, values: Iterable[object] = ()) -> None:
        self.room = room
        self.names: Mapping[str, str] = names_of(room.snapshot, values)

    def learn(self, values: Iterable[object]) -> None:
        self.names = {**self.names, **names_of(self.room.snapshot, values)}

    def html(self, field: FieldDef, value: object, *, full: bool = False, days: bool = False) -> SafeString:
        """One value. ``full`` keeps long texts whole and says "Empty" where nothing is; ``days`` leaves the
        time of a moment to its tooltip."""
        if value is None or value == "":
            return format_html('<span class="none">{}</span>', _("Empty")) if full else SafeString("")
        if isinstance(value, bool):
            return _boolean(value)
        if isinstance(value, datetime):
            return self._moment(value, days)
        if isinstance(value, date):
            return format_html('<time datetime="{}">{}</time>', value.isoformat(), day_words(value))
        if isinstance(value, int | float):
            return SafeString(number_words(value))
        return self._text(field, str(value), full)

    def long(self, field: FieldDef, value: str, finder: Finder) -> SafeString:
        """A text in full with hits marked; a very long one is folded, but not while something is looked for in it."""
        before = finder.count
        shown = format_html('<span dir="auto">{}</span>', finder.html(value))
        if (len(value) <= FOLD_AFTER and value.count("\n") < FOLD_LINES) or finder.count > before:
            return shown
        words = _("Show all of %(label)s") % {"label": field.label}
        size = _("%(n)s characters") % {"n": number_words(len(value))}
        fold = '<div class="folded">{}</div><label class="unfold"><input type="checkbox"> {} <small>{}</small></label>'
        return format_html('<div class="long">' + fold + "</div>", shown, words, size)

    def _moment(self, value: datetime, days: bool) -> SafeString:
        zone = self.room.registry.zone
        there, words = local(value, zone), moment_words(value, zone)
        iso = there.isoformat(timespec="seconds")
        if days:
            shown = day_words(there.date())
            return format_html('<time datetime="{}" title="{} {}">{}</time>', iso, words, zone, shown)
        return format_html('<time datetime="{}">{}</time>', iso, words)

    def _text(self, field: FieldDef, value: str, full: bool) -> SafeString:
        if value in self.names and field.type != "id":
            return self.link(value)
        if field.type == "reference" and looks_like_id(value) and (full or field.targets):
            return missing_parent(value)
        if field.type == "id" or (field.type == "reference" and looks_like_id(value)):
            return copied_id(value)
        if field.type == "picklist":
            return status(value)
        text = value if full or len(value) <= _PLAIN_LENGTH else value[:_PLAIN_LENGTH].rstrip() + "…"
        return format_html('<span dir="auto">{}</span>', text)

    def link(self, record_id: str, words: str = "") -> SafeString:
        url = self.room.record_url(record_id)
        return format_html('<a href="{}" dir="auto">{}</a>', url, words or self.names.get(record_id, record_id))


def status(value: str) -> SafeString:
    """A picklist value with its dot."""
    return mark_safe(f'<span class="tag t-{_DOT_OF.get(value.casefold(), "any")}">{escape(value)}</span>')


def number_words(value: float) -> str:
    """8,214 or 1,250.50: two places, or none where they say nothing."""
    if isinstance(value, int) or value == int(value):
        return number_format(int(value), use_l10n=True, force_grouping=True)
    return number_format(round(value, 2), decimal_pos=2, use_l10n=True, force_grouping=True)


def _boolean(value: bool) -> SafeString:
    words, glyph = (_("Yes"), "check") if value else (_("No"), "minus")
    return format_html('<span class="flag">{} {}</span>', icon(glyph, 13), words)
