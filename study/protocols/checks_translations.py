"""Translations: every text there once, none unknown, each with the places and the shape of what it stands for."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from study.protocols.checks_texts import TAG
from study.protocols.markup import places
from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile
from study.protocols.translations import languages_of, missing_texts, texts_of

NAMED = 5


def translation_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    texts, languages = texts_of(protocol), languages_of(protocol)
    for n, one in enumerate(protocol.translations):
        here: Path = ("translations", n)
        if one.language in languages[: n + 1]:
            yield Finding(
                (*here, "language"),
                _("The language “%(language)s” is here twice.") % {"language": one.language},
                _("The base language is meta.language; each further one has one entry."),
            )
            continue
        if missing := missing_texts(protocol, one.language):
            first = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
            yield Finding(
                (*here, "texts"),
                _("%(n)d of %(all)d texts have no translation into “%(language)s”: %(first)s.")
                % {"n": len(missing), "all": len(texts), "language": one.language, "first": first},
                _("protocol_export --texts %(language)s writes a file to fill in.") % {"language": one.language},
            )
        yield from _texts((*here, "texts"), one.texts, texts)
        yield Finding(
            (*here, "language"),
            _("The search for unwelcome words reads English only, not “%(language)s”.") % {"language": one.language},
            _("Have somebody who reads it look for words that tell what the records are, before you freeze."),
            "warning",
        )


def _texts(here: Path, given: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[Finding]:
    for address, text in given.items():
        path = (*here, address)
        base = texts.get(address)
        if base is None:
            close = difflib.get_close_matches(address, texts, n=1, cutoff=0.6)
            said = _("Did you mean “%(key)s”?") % {"key": close[0]} if close else _("Take it out.")
            yield Finding(path, _("The protocol has no text “%(key)s”.") % {"key": address}, said)
            continue
        if lost := set(places(base)) ^ set(places(text)):
            yield Finding(
                path,
                _("Here and in the original, different names are filled in: %(names)s.")
                % {"names": ", ".join(f"{{{name}}}" for name in sorted(lost))},
                _("Keep each name in braces as it is in the original."),
            )
        if "\n" in text and "\n" not in base:
            yield Finding(path, _("This must be one line."), _("The original is one line."))
        if tag := TAG.search(text):
            yield Finding(
                path,
                _("“%(tag)s” would be shown as typed: texts are plain.") % {"tag": tag.group(0)[:40]},
                _("Use paragraphs and lines that start with a hyphen."),
            )
