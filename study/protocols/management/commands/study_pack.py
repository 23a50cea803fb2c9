"""manage.py study_pack STUDY|FILE|NAME: ethics pack, data-protection sheet, registration, from the protocol alone."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.protocols.documents.pdf import NoGlyphs
from study.protocols.flows import newest_of
from study.protocols.management.commands._said import study_named, text_named
from study.protocols.packs.making import FORMS, KINDS, document, written
from study.protocols.problems import ProtocolInvalid
from study.protocols.reading import parse, sha256_of


class Command(BaseCommand):
    help = "Write the papers of a study (newest protocol), a protocol file or a built-in protocol. Lists what is empty."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="study code, file, or built-in name")
        parser.add_argument("--out", default="", help="folder; default: NAME-papers here")
        parser.add_argument("--form", choices=[*FORMS, "all"], default="all")
        parser.add_argument("--strict", action="store_true", help="exit 1 when a place is empty")

    def handle(self, *args: Any, **options: Any) -> None:
        name, text = _text(options["source"])
        try:
            file = parse(text)
        except ProtocolInvalid as error:
            raise CommandError(f"{name}: {error}. Run protocol_check for every line.") from None
        folder = Path(options["out"] or f"{name}-papers")
        forms = FORMS if options["form"] == "all" else (options["form"],)
        gaps: dict[str, str] = {}
        for kind in KINDS:
            paper = document(kind, file, sha256_of(text))
            gaps |= {gap.key: gap.label for gap in paper.gaps}
            for form in forms:
                try:
                    folder.mkdir(parents=True, exist_ok=True)
                    path = folder / f"{name}-{kind.name}.{form}"
                    path.write_bytes(written(paper, form))
                except (OSError, NoGlyphs) as error:
                    raise CommandError(f"Can't write {kind.name}.{form}: {error}") from None
                self.stdout.write(str(path))
        for key, label in gaps.items():
            self.stdout.write(f"empty: {key}: {label}")
        self.stdout.write(f"{name}: {len(gaps)} empty places, protocol sha256 {sha256_of(text)}")
        if gaps and options["strict"]:
            raise CommandError(f"{len(gaps)} places are empty. Fill them in under papers: in the protocol.")


def _text(source: str) -> tuple[str, str]:
    """Name and text: a file or a built-in protocol, else a study's newest protocol."""
    if (found := text_named(source)) is not None:
        return Path(source).stem, found[0]
    study = study_named(source)
    protocol = newest_of(study)
    if protocol is None:
        raise CommandError(f"Study {study.code} has no protocol. Import one with protocol_import {study.code}.")
    return study.code, protocol.text
