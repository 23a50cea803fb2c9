"""Every text of a protocol that a participant can read, in file order, with the moment it is met.

Found by type (``Line``, ``Prose``), never from a list: a text added to the schema
tomorrow is found as well.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from study.protocols.parts import Part, Shown
from study.protocols.problems import Path
from study.protocols.schema import ProtocolFile

AFTER_LOCK_SECTIONS = {"debrief"}


@dataclass(frozen=True)
class ShownText:
    """One text. ``after_lock``: it is met only once the ratings are locked."""

    path: Path
    text: str
    after_lock: bool


def participant_texts(protocol: ProtocolFile) -> Iterator[ShownText]:
    for path, text in _walk(protocol, ()):
        yield ShownText(path, text, _after_lock(protocol, path))


def _after_lock(protocol: ProtocolFile, path: Path) -> bool:
    if path[0] == "modules" and isinstance(path[1], int):
        module = protocol.modules[path[1]]
        # After the first of several visits the next one's ratings are still to come.
        final = module.visits == "last" or not any(len(arm.plans) > 1 for arm in protocol.arms)
        return module.position == "after_ratings" and final
    return path[0] in AFTER_LOCK_SECTIONS or path[:2] == ("completion", "complete")


def _walk(part: Part, path: Path) -> Iterator[tuple[Path, str]]:
    for name, (key, shown) in shown_fields(type(part)).items():
        value = getattr(part, name)
        if isinstance(value, Part):
            yield from _walk(value, (*path, key))
        elif isinstance(value, tuple):
            for n, entry in enumerate(value):
                if isinstance(entry, Part):
                    yield from _walk(entry, (*path, key, n))
                elif shown:
                    yield (*path, key, n), entry
        elif shown and isinstance(value, str):
            yield (*path, key), value


@cache
def shown_fields(model: type[Part]) -> dict[str, tuple[str, bool]]:
    """Attribute to its key in the file and whether participants read it."""
    hints = typing.get_type_hints(model, include_extras=True)
    return {name: (info.alias or name, _is_shown(hints[name])) for name, info in model.model_fields.items()}


def _is_shown(annotation: object) -> bool:
    if Shown in getattr(annotation, "__metadata__", ()):
        return True
    return any(_is_shown(argument) for argument in typing.get_args(annotation))
