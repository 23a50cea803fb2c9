"""Protocol text to a value, or to problems with line and remedy. Nothing a file holds makes this raise.

The hash of a protocol is the sha256 of its text with line ends as LF and no
byte-order mark, in UTF-8: exactly what ``protocol_export`` writes, so that
``sha256sum`` on the exported file shows the same digits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from pydantic import ValidationError

from study.protocols.checks import check
from study.protocols.nodes import Tree, normal_text, read_nodes
from study.protocols.problems import Finding, Path, Problem, ProtocolInvalid, dotted
from study.protocols.schema import ProtocolFile
from study.protocols.shape import shape_findings


@dataclass(frozen=True)
class Reading:
    """The outcome of reading: a value when the shape is right, and every problem found."""

    value: ProtocolFile | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.level == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.level == "warning")

    @property
    def ok(self) -> bool:
        return self.value is not None and not self.errors


def decode(data: bytes) -> tuple[str, tuple[Problem, ...]]:
    """Uploaded bytes as text. Bytes that are not UTF-8 give a problem and a text with marks in their place."""
    try:
        return normal_text(data.decode("utf-8")), ()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        said = Problem(line, 1, "", _("This line is not UTF-8 text."), _("Save the file as UTF-8 and try again."))
        return normal_text(data.decode("utf-8", "replace")), (said,)


def sha256_of(text: str) -> str:
    return hashlib.sha256(normal_text(text).encode("utf-8", "surrogatepass")).hexdigest()


def _nothing(_file: ProtocolFile) -> Iterable[Finding]:
    return ()


def read(
    text: str, *, private_names: Iterable[str] = (), more: Callable[[ProtocolFile], Iterable[Finding]] = _nothing
) -> Reading:
    """Value and problems. ``private_names`` must not be met by participants (the study's own name, M7).

    ``more`` finds what the file alone does not tell; it is asked about a file without errors.
    """
    tree, value, shape_problems = _read_once(normal_text(text), get_language())
    problems = list(shape_problems)
    if value is not None:
        for finding in check(value, private_names=tuple(private_names)):
            problems.append(_located(tree, finding.path, finding.message, finding.remedy, finding.level))
        for finding in () if any(problem.level == "error" for problem in problems) else more(value):
            problems.append(_located(tree, finding.path, finding.message, finding.remedy, finding.level))
    problems.sort(key=lambda problem: (problem.line, problem.column, problem.path))
    return Reading(value, tuple(problems))


def parse(text: str) -> ProtocolFile:
    """The value of a text whose shape is right. Raises ProtocolInvalid otherwise.

    Only the shape counts here: a draft with unwelcome words still has a value to show.
    """
    _tree, value, problems = _read_once(normal_text(text), get_language())
    if value is None or problems:
        raise ProtocolInvalid(problems)
    return value


@lru_cache(maxsize=16)
def _read_once(text: str, _language: str | None) -> tuple[Tree, ProtocolFile | None, tuple[Problem, ...]]:
    """Nodes, value and problems of the shape, kept for the texts read last: one act reads the same text several times.

    Nobody changes what is returned. Problems are worded in the language of whoever reads.
    """
    tree = read_nodes(text)
    if tree.problems and tree.value is None:
        return tree, None, tuple(tree.problems)
    value, problems = _shape(tree)
    return tree, value, tuple(problems)


def _shape(tree: Tree) -> tuple[ProtocolFile | None, list[Problem]]:
    problems = list(tree.problems)
    try:
        # Through JSON, because strict validation takes a JSON list for a tuple and a Python list not.
        value = ProtocolFile.model_validate_json(json.dumps(tree.value, ensure_ascii=True))
    except ValidationError as error:
        for finding in shape_findings(error):
            problems.append(_located(tree, finding.path, finding.message, finding.remedy, finding.level))
        return None, problems
    return value, problems


def _located(tree: Tree, path: Path, message: str, remedy: str, level: str) -> Problem:
    line, column = tree.place(path)
    return Problem(line, column, dotted(path), message, remedy, "warning" if level == "warning" else "error")
