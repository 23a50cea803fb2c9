"""How objects are laid out: pure rules that fit a wished-for layout to the fields an Org really has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.published_views import VIEWS, paths_of, query_of, usual_views
from study.sandbox.engine.registry import FieldDef, ObjectDef, RelatedList, Section, StandardView

Columns = tuple[str, ...]

NEUTRAL = ("circle-dot", "#6B6F76")
_NAMES = ("Name", "Title", "Subject", "LastName")
_SHORT = frozenset({"string", "picklist", "reference", "datetime", "date", "boolean", "number", "integer"})


@dataclass(frozen=True)
class Layout:
    """A wished-for layout. Fields an Org lacks are left out; ``name`` and ``second`` take the first that exists.

    ``related``: ("Child.Field", columns); ``sections``: (title, fields). Fields in no section come last.
    """

    label: str
    plural: str
    icon: str
    color: str
    name: Columns = ("Name",)
    second: Columns = ()
    columns: Columns = ()
    highlights: Columns = ()
    related: tuple[tuple[str, Columns], ...] = ()
    sections: tuple[tuple[str, Columns], ...] = ()


def lay_out(item: ObjectDef, objects: Mapping[str, ObjectDef], layout: Layout | None, label: str) -> ObjectDef:
    """The object with a layout fitted to its own fields and to the other objects of the Org.

    Without a layout one is derived: ``label``, the first short fields, every child object as a related list.
    """
    layout = layout or _derived(item, label)
    return replace(
        item,
        label=layout.label,
        plural=layout.plural,
        icon=layout.icon,
        color=layout.color,
        name_field=next((name for name in (*layout.name, *_NAMES) if item.has(name)), "Id"),
        second_field=next((path for path in layout.second if _reaches(item, path, objects)), ""),
        columns=_fitting(item, layout.columns, objects),
        highlights=_fitting(item, layout.highlights, objects),
        related=_related(item, layout, objects),
        sections=sections_of(item, layout.sections),
        views=_views(item, objects),
    )


def _derived(item: ObjectDef, label: str) -> Layout:
    short = [field.name for field in item.fields if field.type in _SHORT]
    named = sorted(short, key=lambda name: name not in _NAMES)
    plural = label + ("es" if label.endswith(("s", "x", "ch", "sh")) else "s")
    if label.endswith("y") and label[-2:-1] not in "aeiou":
        plural = label[:-1] + "ies"
    return Layout(label, plural, *NEUTRAL, columns=tuple(named[:6]), highlights=tuple(named[1:6]))


def _reaches(item: ObjectDef, path: str, objects: Mapping[str, ObjectDef]) -> bool:
    *steps, last = path.split(".")
    for step in steps:
        try:
            targets = [objects[name] for name in item.lookup(step).targets if name in objects]
        except QueryError:
            return False
        if len(targets) != 1:
            return False
        item = targets[0]
    return item.has(last)


def _fitting(item: ObjectDef, paths: Iterable[str], objects: Mapping[str, ObjectDef]) -> Columns:
    return tuple(path for path in paths if _reaches(item, path, objects))


def _children(item: ObjectDef, objects: Mapping[str, ObjectDef]) -> list[tuple[ObjectDef, FieldDef]]:
    return [(child, field) for child in objects.values() for field in child.fields if item.name in field.targets]


def _related(item: ObjectDef, layout: Layout, objects: Mapping[str, ObjectDef]) -> tuple[RelatedList, ...]:
    """Wished-for lists first, then every other child object, so that no connection is out of sight."""
    wished = dict(layout.related)
    found = {f"{child.name}.{field.name}": (child, field) for child, field in _children(item, objects)}
    keys = [key for key in wished if key in found] + [key for key in found if key not in wished]
    lists = []
    for key in keys:
        child, field = found[key]
        columns = _fitting(child, wished.get(key, ()), objects) or _first_columns(child, field)
        several = sum(other.name == child.name for other, _ in found.values()) > 1
        lists.append(RelatedList(child.name, field.name, columns, field.label if several else ""))
    return tuple(lists)


def _first_columns(child: ObjectDef, link: FieldDef) -> Columns:
    short = [field.name for field in child.fields if field.type in _SHORT and field.name != link.name]
    return tuple(sorted(short, key=lambda name: name not in _NAMES)[:4])


def _views(item: ObjectDef, objects: Mapping[str, ObjectDef]) -> tuple[StandardView, ...]:
    """The views that come with the object, as far as it has their fields and these hold what is asked."""
    wished = VIEWS.get(item.name) or usual_views(field.name for field in item.fields)
    queries = [(name, query_of(pairs)) for name, pairs in wished]
    return tuple(StandardView(name, query) for name, query in queries if _can_ask(item, query, objects))


def _can_ask(item: ObjectDef, query: str, objects: Mapping[str, ObjectDef]) -> bool:
    paths = paths_of(query)
    if not all(_reaches(item, path, objects) for path in paths):
        return False
    dated = {key[2:] for key in dict(parse_qsl(query)) if key.startswith("w.")}
    return all(item.field(path).type in {"date", "datetime"} for path in dated if item.has(path))


def sections_of(item: ObjectDef, wished: tuple[tuple[str, Columns], ...]) -> tuple[Section, ...]:
    """Titled blocks of fields; fields in none come last, and the Id after them."""
    placed = {name for _, names in wished for name in names}
    rest = tuple(field.name for field in item.fields if field.name not in placed and field.name != "Id")
    titled = [(title, tuple(name for name in names if item.has(name))) for title, names in wished]
    titled.append(("More" if wished else "Details", rest))
    if titled[-1][1] or len(titled) == 1:
        titled[-1] = (titled[-1][0], (*titled[-1][1], "Id"))
    else:
        titled[-2] = (titled[-2][0], (*titled[-2][1], "Id"))
    return tuple(Section(title, names) for title, names in titled if names)
