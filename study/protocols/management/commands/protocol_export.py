"""manage.py protocol_export STUDY [--number N] [--out FILE]: the file whose sha256 the study names.

With ``--texts LANGUAGE``: a file for a translator; then a file or a built-in name will do as well.
"""

import re
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.protocols.flows import export_text, newest_of
from study.protocols.management.commands._said import study_named, text_named
from study.protocols.models import Protocol
from study.protocols.problems import ProtocolInvalid
from study.protocols.reading import parse
from study.protocols.translating import texts_file

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")


class Command(BaseCommand):
    help = "Write a version of a study's protocol, byte for byte as it was hashed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="study code; with --texts also a file or a built-in name")
        parser.add_argument("--number", type=int, help="version; without it the newest")
        parser.add_argument("--texts", metavar="LANGUAGE", help="every text participants read, to be translated")
        parser.add_argument("--out", help="file to write; without it standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        language = options["texts"]
        found = text_named(options["study"]) if language else None
        data = found[0].encode("utf-8") if found else export_text(self._protocol(options["study"], options["number"]))
        if language:
            data = self._texts(data.decode("utf-8"), language)
        if options["out"]:
            try:
                Path(options["out"]).write_bytes(data)
            except OSError as error:
                raise CommandError(f"Can't write {options['out']}: {error.strerror}.") from None
        else:
            self.stdout.write(data.decode("utf-8"), ending="")

    def _protocol(self, code: str, number: int | None) -> Protocol:
        study = study_named(code)
        protocol = newest_of(study) if number is None else Protocol.objects.filter(study=study, number=number).first()
        if protocol is None:
            raise CommandError(f"Study {study.code} has no such protocol.")
        return protocol

    def _texts(self, text: str, language: str) -> bytes:
        if not LANGUAGE.fullmatch(language):
            raise CommandError(f"“{language}” is no language tag such as ar or pt-BR.")
        try:
            return texts_file(parse(text), language).encode("utf-8")
        except ProtocolInvalid as invalid:
            raise CommandError(f"The protocol itself can't be read: {invalid}") from None
