"""Tags of the sandbox pages: icons of objects, Ids with a copy button, menus, days."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from study.sandbox.engine.registry import ObjectDef
from study.sandbox.frozen_today import day_words, long_day
from study.sandbox.gui.choosing import fields_address
from study.sandbox.gui.listing import ListView, Row
from study.sandbox.gui.presenting import copied_id, icon, number_words, object_icon
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.saved import is_favourite

register = template.Library()


@register.simple_tag
def glyph(name: str, size: int = 16) -> SafeString:
    """A small icon, hidden from assistive technology."""
    return icon(name, size)


@register.simple_tag
def object_glyph(item: ObjectDef, small: bool = False) -> SafeString:
    """The object's icon on its colour."""
    return object_icon(item, small=small)


@register.simple_tag
def ident(record_id: str, name: str = "") -> SafeString:
    """An Id in full with its copy button."""
    return copied_id(record_id, name)


@register.simple_tag
def starred(room: Room, record_id: str) -> bool:
    """Whether the person at this desk keeps the record among their favourites."""
    return is_favourite(room, record_id)


@register.simple_tag
def list_url(room: Room, item: ObjectDef) -> str:
    return room.list_url(item.name)


@register.simple_tag
def fields_url(room: Room, view: Any, purpose: str) -> str:
    """The page where a field is chosen step by step, for the list or report on screen."""
    to = [] if isinstance(view, ListView) else [("to", "report")]
    return fields_address(room, view.item, [*view.pairs(), ("for", purpose), *to])


@register.simple_tag
def values_url(room: Room, item: ObjectDef) -> str:
    """Where values are suggested for the fields of an object."""
    return reverse("crm_values", args=[room.desk.code, item.name])


@register.simple_tag
def beside_url(view: ListView, row: Row) -> str:
    """This list with a record of it shown beside."""
    pairs = [*view.pairs(page=view.page), ("record", row.record_id)]
    return view.room.address(view.room.list_url(view.item.name), pairs)


@register.simple_tag
def report_url(room: Room, item: ObjectDef) -> str:
    return room.report_url(item.name)


@register.simple_tag
def count_of(room: Room, item: ObjectDef) -> str:
    """How many records the object has, as 8,214."""
    return number_words(room.count_of(item.name))


@register.filter
def count_in(name: str, room: Room) -> str:
    """How many records the object of this name has, as 8,214."""
    return number_words(room.count_of(name))


@register.simple_tag
def console_url(room: Room) -> str:
    """The query console where this desk offers one; "" elsewhere."""
    try:
        return reverse("crm_console", args=[room.desk.code]) if room.desk.console else ""
    except NoReverseMatch:
        return ""


@register.filter
def day(value: date) -> str:
    """16 Jan 2023"""
    return day_words(value)


@register.filter
def whole_day(value: date) -> str:
    """Monday 16 January 2023"""
    return long_day(value)


@register.filter
def number(value: float) -> str:
    """8,214"""
    return number_words(value)


@register.simple_tag
def hidden(pairs: list[tuple[str, str]], *names: str) -> SafeString:
    """Hidden inputs that carry a state through a form, without those a visible control of the form holds.

    A name that ends in a dot leaves out every parameter that begins with it.
    """
    kept = [(k, v) for k, v in pairs if k not in names and f"{k.partition('.')[0]}." not in names]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', kept)


@register.simple_tag
def options(pairs: Any, chosen: str = "") -> SafeString:
    """Options of a menu from (value, words) pairs."""
    listed = pairs.items() if hasattr(pairs, "items") else pairs
    return format_html_join(
        "", '<option value="{}"{}>{}</option>', ((v, _selected(v == chosen), words) for v, words in listed)
    )


@register.simple_tag
def grouped_options(groups: list[tuple[str, list[tuple[str, ...]]]], chosen: str = "") -> SafeString:
    """Options under headings from (heading, [(value, words[, type])]) groups."""
    parts = []
    for heading, listed in groups:
        rows = ((o[0], o[2] if len(o) > 2 else "", _selected(o[0] == chosen), o[1]) for o in listed)
        inner = format_html_join("", '<option value="{}" data-type="{}"{}>{}</option>', rows)
        parts.append((heading, inner))
    return format_html_join("", '<optgroup label="{}">{}</optgroup>', parts)


def _selected(yes: bool) -> SafeString:
    return SafeString(" selected") if yes else SafeString("")


@register.simple_tag
def bar(percent: float) -> SafeString:
    """A horizontal bar, zero-based; the number stands beside it."""
    return format_html(
        '<svg class="bar-svg" width="100%" height="16" aria-hidden="true" focusable="false">'
        '<rect class="bar-fill" x="0" y="0" width="{}%" height="16" rx="2"></rect></svg>',
        f"{percent:.2f}",
    )


@register.simple_tag
def invalid(errors: dict[str, str], name: str, described: str) -> SafeString:
    """Marks a control whose value is wrong and points to the message about it."""
    if name not in errors:
        return SafeString("")
    return format_html(' aria-invalid="true" aria-describedby="{}"', described)
