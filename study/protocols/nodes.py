"""YAML text to plain values that remember their lines.

A deliberately small YAML: one document, no anchors, no tags, text keys, and only
``true`` and ``false`` as truth values, so that a code ``no`` or a time ``12:30``
stays text. Nothing in a file can make this module build an object, follow a
reference or grow a value beyond the text itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol

import yaml
from django.utils.translation import gettext as _

from study.protocols.problems import Path, Problem, dotted

MAX_BYTES = 200_000
MAX_DEPTH = 24

type_of = {"tag:yaml.org,2002:bool": bool, "tag:yaml.org,2002:int": int, "tag:yaml.org,2002:float": float}


class Loader(yaml.SafeLoader):
    """Composes nodes only; resolves the few plain types named in the module's docstring."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), ["t", "f"])
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(0|[1-9][0-9]{0,15})$"), list("-0123456789"))
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^-?[0-9]{1,15}\.[0-9]{1,15}$"), list("-0123456789")
)
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), ["~", "n", ""])

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]


@dataclass
class Tree:
    """The plain value, where each path of it stands, and what was wrong on the way."""

    value: Value = None
    places: dict[Path, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, mark: tuple[int, int], path: Path, message: str, remedy: str) -> None:
        self.problems.append(Problem(*mark, dotted(path), message, remedy))

    def place(self, path: Path) -> tuple[int, int]:
        """Line and column of the path, or of the nearest thing around it."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.places:
                return self.places[path[:length]]
        return (1, 1)


def normal_text(text: str) -> str:
    """Line ends as LF and no byte-order mark: the form that is stored, exported and hashed."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def unreadable_character(text: str) -> re.Match[str] | None:
    """The first character that YAML, databases and people can't read; None when all can be."""
    return yaml.reader.Reader.NON_PRINTABLE.search(text)


def read_nodes(text: str) -> Tree:
    """Never raises: what can't be read is in ``problems``."""
    tree = Tree()
    if not _readable(text, tree):
        return tree
    try:
        if _plain(text, tree):
            node = yaml.compose(text, Loader)
            if node is None:
                tree.problem((1, 1), (), _("The file is empty."), _("Start from a built-in protocol."))
            else:
                tree.value = _value(node, (), tree)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = error.problem or error.context or ""
        tree.problem(
            _mark(mark),
            (),
            _("This is not readable as YAML: %(what)s.") % {"what": said},
            _("Check the indentation, quotes and colons of this line and the one above."),
        )
    except yaml.YAMLError as error:
        tree.problem((1, 1), (), _("This is not readable as YAML."), str(error).split("\n", 1)[0])
    return tree


def _readable(text: str, tree: Tree) -> bool:
    """Size and characters, before the parser sees anything."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        tree.problem(
            (1, 1),
            (),
            _("The file has %(size)s bytes; %(max)s is the most.") % {"size": f"{size:,}", "max": f"{MAX_BYTES:,}"},
            _("A protocol holds texts and rules only. Leave data and pictures out."),
        )
        return False
    if bad := unreadable_character(text):
        before = text[: bad.start()]
        tree.problem(
            (before.count("\n") + 1, bad.start() - before.rfind("\n")),
            (),
            _("There is an invisible control character here (U+%(code)04X).") % {"code": ord(bad.group())},
            _("Delete it, or save the file as UTF-8 text again."),
        )
        return False
    return True


def _plain(text: str, tree: Tree) -> bool:
    """Refuse anchors, tags, tabs and deep nesting while they are still events, before anything is built."""
    depth = 0
    for event in yaml.parse(text, Loader):
        mark = _mark(event.start_mark)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                tree.problem(
                    mark, (), _("This is nested more than %(n)d levels deep.") % {"n": MAX_DEPTH},
                    _("No section of a protocol needs that; look for brackets or indentation gone wrong."),
                )  # fmt: skip
                return False
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if getattr(event, "anchor", None) is not None:
            tree.problem(
                mark, (), _("Anchors (&) and references (*) are not used here."),
                _("Write the text out at each place; a star at the start of a text needs quotes."),
            )  # fmt: skip
            return False
        if getattr(event, "tag", None) is not None:
            tree.problem(
                mark, (), _("Tags (!) are not used here."),
                _("Take the tag away; an exclamation mark at the start of a text needs quotes."),
            )  # fmt: skip
            return False
    return True


class Mark(Protocol):
    """What both of PyYAML's mark classes have."""

    line: int
    column: int


def _mark(mark: Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _value(node: yaml.Node, path: Path, tree: Tree) -> Value:
    """Depth is bounded by ``_plain``; each node is visited once, as there are no references."""
    tree.places.setdefault(path, _mark(node.start_mark))
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, (*path, n), tree) for n, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, tree)
    if node.tag == "tag:yaml.org,2002:null":
        return None
    if node.tag == "tag:yaml.org,2002:bool":
        return bool(node.value == "true")
    if node.tag in type_of:
        return int(node.value) if node.tag.endswith("int") else float(node.value)
    return str(node.value)


def _mapping(node: yaml.MappingNode, path: Path, tree: Tree) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key_node, value_node in node.value:
        mark = _mark(key_node.start_mark)
        if not isinstance(key_node, yaml.ScalarNode):
            tree.problem(mark, path, _("A key must be a plain word."), _("Check the brackets on this line."))
            continue
        key = str(key_node.value)
        here = (*path, key)
        if key in found:
            tree.problem(
                mark, here, _("“%(key)s” is here twice; it was also on line %(line)d.")
                % {"key": key, "line": tree.places[here][0]},
                _("Keep one of the two."),
            )  # fmt: skip
            continue
        tree.places[here] = mark
        found[key] = _value(value_node, here, tree)
    return found
