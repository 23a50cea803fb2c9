"""Words that may not be met before the ratings are locked (M7), places in braces, and markup that is not ours."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.protocols.checks_modules import places_of_module
from study.protocols.markup import places
from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile
from study.protocols.texts import participant_texts

FORBIDDEN_WORDS = (
    "synthetic", "generated", "artificial", "fake", "simulated", "AI", "LLM", "GPT", "benchmark", "CRMArena",
)  # fmt: skip
FORBIDDEN = re.compile(r"(?<![\w])(" + "|".join(FORBIDDEN_WORDS) + r")s?(?![\w])", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z][^<>]*>")

# Where a name in braces is filled in; anywhere else it would be shown as typed.
PLACES: dict[Path, frozenset[str]] = {
    ("rating", "object"): frozenset({"object", "objects"}),
    ("rating", "look"): frozenset({"object", "objects"}),
    ("rating", "dimensions"): frozenset({"object", "objects"}),
    ("orientation", "moves"): frozenset({"record", "value"}),
    ("orientation", "practice"): frozenset({"count"}),
    ("work", "role_line"): frozenset({"role"}),
}


def text_findings(protocol: ProtocolFile, private_names: tuple[str, ...]) -> Iterator[Finding]:
    names = tuple(name for name in private_names if _telling(name) and name != protocol.meta.public_title)
    for shown in participant_texts(protocol):
        yield from _typed(shown.path, shown.text, _known_at(protocol, shown.path))
        if protocol.disclosure == "origin_after" and not shown.after_lock:
            yield from _unwelcome(shown.path, shown.text, names)


def forbidden_in(text: str) -> tuple[str, ...]:
    """The words of M7 that stand in a text as whole words, as they stand there."""
    return tuple(match.group(0) for match in FORBIDDEN.finditer(text))


def private_names_in(text: str, names: tuple[str, ...], public_title: str) -> tuple[str, ...]:
    """The private names that stand in a text; the public title is none."""
    return tuple(name for name in names if _telling(name) and name != public_title and _holds(text, name))


def _holds(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold()))


def _telling(name: str) -> bool:
    """A private name of one common word ("Service") would be found in every protocol."""
    return len(name.split()) > 1 or len(name) >= 10


def _unwelcome(path: Path, text: str, names: tuple[str, ...]) -> Iterator[Finding]:
    for word in dict.fromkeys(forbidden_in(text)):
        yield Finding(
            path,
            _("“%(word)s” may not be read before the ratings are locked.") % {"word": word},
            _("Say it without the word, move it to the debrief, or set disclosure: open."),
        )
    for name in names:
        if _holds(text, name):
            yield Finding(
                path,
                _("The private name of the study, “%(name)s”, would be read here.") % {"name": name},
                _("Use the public title."),
            )


def _known_at(protocol: ProtocolFile, path: Path) -> frozenset[str]:
    """The names that are filled in at a path; in a module they depend on what its items are repeated for."""
    if path[0] == "modules" and isinstance(path[1], int):
        return places_of_module(protocol.modules[path[1]], path[2:])
    return next((names for stem, names in PLACES.items() if path[: len(stem)] == stem), frozenset())


def _typed(path: Path, text: str, known: frozenset[str]) -> Iterator[Finding]:
    if tag := TAG.search(text):
        yield Finding(
            path,
            _("“%(tag)s” would be shown as typed: texts are plain.") % {"tag": tag.group(0)[:40]},
            _("Use paragraphs and lines that start with a hyphen."),
        )
    for name in places(text):
        if name not in known:
            offered = ", ".join(f"{{{name}}}" for name in sorted(known))
            yield Finding(
                path,
                _("“{%(name)s}” is not filled in here.") % {"name": name},
                _("Known here: %(names)s.") % {"names": offered} if offered else _("Write it out."),
            )
