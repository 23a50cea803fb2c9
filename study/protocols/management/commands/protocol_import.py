"""manage.py protocol_import STUDY FILE|NAME: a checked file, or a built-in protocol, as the study's draft."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.protocols.flows import import_protocol, read_for
from study.protocols.library import builtin_names
from study.protocols.management.commands._said import print_problems, study_named, text_named


class Command(BaseCommand):
    help = "Import a protocol into a study as its draft. Nothing changes when it has errors."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="study code")
        parser.add_argument("file", help=f"a file, or one of: {', '.join(builtin_names())}")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        found = text_named(options["file"])
        if found is None:
            raise CommandError(
                f"There is no file “{options['file']}”, and it is not built in ({', '.join(builtin_names())})."
            )
        text, problems = found
        problems = (*problems, *read_for(study, text).problems)
        if errors := print_problems(self.stdout, options["file"], problems):
            raise CommandError(f"{errors} errors. Nothing was imported.")
        draft = import_protocol(study, text, None)
        self.stdout.write(f"Study {study.code} has draft {draft.number}. Next: manage.py protocol_freeze {study.code}")
