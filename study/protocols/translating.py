"""What a translator gets and gives back: a file of texts with the original above each, and a protocol text with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from pydantic import ValidationError

from study.protocols.languages import Translation
from study.protocols.nodes import normal_text, read_nodes
from study.protocols.problems import Problem, ProtocolInvalid, dotted
from study.protocols.reading import parse
from study.protocols.schema import ProtocolFile
from study.protocols.translations import texts_of, translation_of

SECTION = re.compile(r"^translations:.*?(?=^[^\s#-]|\Z)", re.MULTILINE | re.DOTALL)
# YAML ends a line at these as well; a text that holds them is written with their numbers.
OTHER_ENDS = re.compile("[\x85\u2028\u2029]")
HEAD = """\
# {title}, version {version}: every text that participants read, from {base} into {language}.
# The original stands above each text. Fill in what is between the quotes; use | for several paragraphs.
# Leave addresses, and names in braces such as {{object}}, as they are. Empty texts count as missing.
"""


@dataclass(frozen=True)
class TextsFile:
    """A translator's file as read: its language and the texts that are filled in."""

    language: str
    texts: Mapping[str, str]


def texts_file(protocol: ProtocolFile, language: str) -> str:
    """The file to fill in; what is translated already stands in it."""
    meta, given = protocol.meta, translation_of(protocol, language)
    lines = [HEAD.format(title=meta.name, version=meta.version, base=meta.language, language=language)]
    lines.append(f"language: {language}\ntexts:")
    for address, text in texts_of(protocol).items():
        lines += [f"  # {line}".rstrip() for line in text.splitlines()]
        lines.append(f"  {address}: {written(given.get(address, ''), '    ')}")
    return "\n".join(lines) + "\n"


def written(text: str, indent: str) -> str:
    """A text as YAML: in quotes, or as a block if it has several lines."""
    lines = text.split("\n")
    odd = any(line != line.rstrip() or line.startswith((" ", "\t")) for line in lines) or OTHER_ENDS.search(text)
    if len(lines) == 1 or odd:
        quoted = json.dumps(text, ensure_ascii=False)
        return OTHER_ENDS.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
    return "|\n" + "\n".join(f"{indent}{line}".rstrip() for line in lines)


def read_texts_file(text: str) -> TextsFile:
    """A translator's file. Raises ProtocolInvalid with line and remedy for what can't be read."""
    tree = read_nodes(normal_text(text))
    problems = list(tree.problems)
    value = tree.value if isinstance(tree.value, dict) else {}
    texts = value.get("texts")
    filled = {key: one for key, one in texts.items() if one not in ("", None)} if isinstance(texts, dict) else {}
    made = None
    if not problems:
        try:
            made = Translation.model_validate_json(json.dumps({"language": value.get("language"), "texts": filled}))
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                path = tuple(detail["loc"])
                problems.append(
                    Problem(*tree.place(path), dotted(path), detail["msg"] + ".", _("See docs/languages.md."))
                )
    if made is None:
        raise ProtocolInvalid(tuple(problems))
    return TextsFile(made.language, made.texts)


def with_texts(protocol_text: str, filled: TextsFile) -> str:
    """A protocol's text with these translations beside those it has. Nothing else in it changes.

    Raises ProtocolInvalid when the protocol itself can't be read.
    """
    protocol = parse(protocol_text)
    kept = {one.language: dict(one.texts) for one in protocol.translations}
    kept[filled.language] = kept.get(filled.language, {}) | dict(filled.texts)
    order = list(texts_of(protocol))
    without = SECTION.sub("", normal_text(protocol_text)).rstrip("\n")
    return f"{without}\n\n{_section(kept, order)}"


def _section(kept: Mapping[str, Mapping[str, str]], order: Iterable[str]) -> str:
    rank = {address: n for n, address in enumerate(order)}
    lines = ["translations:"]
    for language, texts in kept.items():
        lines += [f"  - language: {language}", "    texts:"]
        for address in sorted(texts, key=lambda one: rank.get(one, len(rank))):
            lines.append(f"      {address}: {written(texts[address], '        ')}")
    return "\n".join(lines) + "\n"
