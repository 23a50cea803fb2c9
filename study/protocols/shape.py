"""What the schema refuses, in words: unknown and missing keys, wrong types, values out of bounds."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterator

from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile

TYPES = {
    "string_type": ("a text", "Put quotes around it."),
    "int_type": ("a whole number", "Write digits without quotes."),
    "int_from_float": ("a whole number", "Write digits without a point."),
    "float_type": ("a number", "Write digits without quotes."),
    "bool_type": ("true or false", "Write true or false, without quotes."),
    "tuple_type": ("a list", "Start each entry with a hyphen, or put them in [ ]."),
    "model_type": ("a section of keys and values", "See docs/protocol.md for its keys."),
}


def shape_findings(error: ValidationError) -> Iterator[Finding]:
    for detail in error.errors(include_url=False):
        yield _finding(detail)


def keys_of(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a section as they are written in the file."""
    return tuple(info.alias or name for name, info in model.model_fields.items())


def model_at(path: Path) -> type[BaseModel] | None:
    """The section class at a path of the file; None for a path outside the schema."""
    model: type[BaseModel] = ProtocolFile
    for part in path:
        if isinstance(part, int):
            continue
        names = {info.alias or name: name for name, info in model.model_fields.items()}
        if part not in names:
            return None
        inner = _model_in(typing.get_type_hints(model)[names[part]])
        if inner is None:
            return None
        model = inner
    return model


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The section class inside ``X``, ``X | None`` or ``tuple[X, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in typing.get_args(annotation):
        if (found := _model_in(argument)) is not None:
            return found
    return None


def _finding(detail: ErrorDetails) -> Finding:
    path, kind, context = tuple(detail["loc"]), detail["type"], detail.get("ctx", {})
    key = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        return Finding(path, _("“%(key)s” is not a key of this section.") % {"key": key}, _near(path))
    if kind == "missing":
        return Finding(path, _("“%(key)s” is missing here.") % {"key": key}, _("Add it; see docs/protocol.md."))
    if kind in TYPES:
        wanted, remedy = TYPES[kind]
        return Finding(path, _("This must be %(wanted)s.") % {"wanted": _(wanted)}, _(remedy))
    if kind == "literal_error":
        remedy = _("Write %(these)s.") % {"these": context["expected"]}
        return Finding(path, _("This value is not one of the possible ones."), remedy)
    if kind == "value_error":
        said = str(context.get("error", detail["msg"]))
        return Finding(path, _("This does not fit together: %(what)s.") % {"what": said}, _("See docs/protocol.md."))
    return Finding(path, *_bounds(kind, context, detail["msg"]))


def _bounds(kind: str, context: dict[str, typing.Any], said: str) -> tuple[str, str]:
    if kind in {"greater_than_equal", "greater_than", "less_than_equal", "less_than"}:
        limit = next(context[key] for key in ("ge", "gt", "le", "lt") if key in context)
        least = kind.startswith("greater")
        message = _("This number is too small.") if least else _("This number is too large.")
        return message, (_("At least %(n)s.") if least else _("At most %(n)s.")) % {"n": limit}
    if kind == "string_too_short":
        return _("This text is empty."), _("Write it, or leave the whole key out if it is optional.")
    if kind == "string_too_long":
        return _("This text is too long."), _("At most %(n)s characters.") % {"n": context["max_length"]}
    if kind == "string_pattern_mismatch":
        if context["pattern"] == r"^[^\n]*$":
            return _("This must be one line."), _("Use “>” instead of “|”, or put it on one line.")
        return _("This is not written as it must be."), _("It has to match %(p)s.") % {"p": context["pattern"]}
    if kind == "too_short":
        return _("This list is too short."), _("At least %(n)s.") % {"n": context["min_length"]}
    if kind == "too_long":
        return _("This list is too long."), _("At most %(n)s.") % {"n": context["max_length"]}
    return _("This value is not accepted: %(what)s.") % {"what": said}, _("See docs/protocol.md.")


def _near(path: Path) -> str:
    model = model_at(path[:-1])
    known = keys_of(model) if model is not None else ()
    close = difflib.get_close_matches(str(path[-1])[:60], known, n=1, cutoff=0.6)
    if close:
        return _("Did you mean “%(key)s”?") % {"key": close[0]}
    return _("Its keys are: %(keys)s.") % {"keys": ", ".join(known)}
