"""manage.py protocol_import STUDY FILE|NAME: a checked file, or a built-in protocol, as the study's draft.

``--translation FILE`` instead takes a translator's file into the study's newest version, as its draft.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.models import Study
from study.protocols.flows import import_protocol, newest_of, read_for, save_draft
from study.protocols.library import builtin_names
from study.protocols.management.commands._said import print_problems, study_named, text_named
from study.protocols.problems import ProtocolInvalid
from study.protocols.translating import read_texts_file, with_texts


class Command(BaseCommand):
    help = "Import a protocol into a study as its draft. Nothing changes when it has errors."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="study code")
        parser.add_argument("file", nargs="?", help=f"a file, or one of: {', '.join(builtin_names())}")
        parser.add_argument("--translation", metavar="FILE", help="a filled-in file of protocol_export --texts")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        if options["translation"]:
            self._translation(study, options["translation"])
            return
        name = options["file"] or ""
        found = text_named(name)
        if found is None:
            raise CommandError(f"There is no file “{name}”, and it is not built in ({', '.join(builtin_names())}).")
        text, problems = found
        problems = (*problems, *read_for(study, text).problems)
        if errors := print_problems(self.stdout, name, problems):
            raise CommandError(f"{errors} errors. Nothing was imported.")
        draft = import_protocol(study, text, None)
        self.stdout.write(f"Study {study.code} has draft {draft.number}. Next: manage.py protocol_freeze {study.code}")

    def _translation(self, study: Study, name: str) -> None:
        """Unfinished translations are kept as well: the draft says what is missing, and is not frozen before."""
        newest, found = newest_of(study), text_named(name)
        if newest is None or found is None:
            raise CommandError(
                f"There is no file “{name}”." if newest else f"Study {study.code} has no protocol to translate yet."
            )
        try:
            filled = read_texts_file(found[0])
            text = with_texts(newest.text, filled)
        except ProtocolInvalid as invalid:
            print_problems(self.stdout, name, (*found[1], *invalid.problems))
            raise CommandError("Nothing was imported. The lines above say what to change.") from None
        draft = save_draft(study, text, None)
        errors = print_problems(self.stdout, study.code, read_for(study, draft.text).problems)
        self.stdout.write(
            f"Study {study.code} has draft {draft.number} with {len(filled.texts)} texts in {filled.language}"
            + (f"; {errors} errors stand in the way of freezing it." if errors else ", ready to freeze.")
        )
