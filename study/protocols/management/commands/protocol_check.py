"""manage.py protocol_check FILE|STUDY: every problem with its line and remedy; exit 1 when there are errors."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.protocols.flows import look_at, newest_of
from study.protocols.management.commands._said import print_problems, study_named, text_named
from study.protocols.reading import read


class Command(BaseCommand):
    help = "Check a protocol: a file, a built-in name, or the newest version of a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="file, built-in name or study code")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        found = text_named(name)
        if found is not None:
            text, problems = found
            problems = (*problems, *read(text).problems)
        else:
            study = study_named(name)
            protocol = newest_of(study)
            if protocol is None:
                raise CommandError(f"Study {study.code} has no protocol. Import one with protocol_import {study.code}.")
            problems = look_at(study, protocol.text).problems
        if errors := print_problems(self.stdout, name, problems):
            raise CommandError(f"{errors} errors. The lines above say what to change.")
