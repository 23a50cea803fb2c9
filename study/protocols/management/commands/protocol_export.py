"""manage.py protocol_export STUDY [--number N] [--out FILE]: the file whose sha256 the study names."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.protocols.flows import export_text, newest_of
from study.protocols.management.commands._said import study_named
from study.protocols.models import Protocol


class Command(BaseCommand):
    help = "Write a version of a study's protocol, byte for byte as it was hashed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="study code")
        parser.add_argument("--number", type=int, help="version; without it the newest")
        parser.add_argument("--out", help="file to write; without it standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        number = options["number"]
        protocol = newest_of(study) if number is None else Protocol.objects.filter(study=study, number=number).first()
        if protocol is None:
            raise CommandError(f"Study {study.code} has no such protocol.")
        data = export_text(protocol)
        if options["out"]:
            try:
                Path(options["out"]).write_bytes(data)
            except OSError as error:
                raise CommandError(f"Can't write {options['out']}: {error.strerror}.") from None
        else:
            self.stdout.write(data.decode("utf-8"), ending="")
