"""manage.py protocol_freeze STUDY: freeze the draft and print its sha256; exit 1 on errors and unsaid gaps."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.protocols.flows import GapsLeft, NotFrozen, draft_of, freeze_protocol, look_at
from study.protocols.management.commands._said import print_problems, study_named


class Command(BaseCommand):
    help = "Freeze the draft of a study's protocol. A frozen version never changes again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="study code")
        parser.add_argument("--with-gaps", action="store_true", help="freeze although places of the papers are empty")
        parser.add_argument("--why", default="", help="for the log of deviations, once people take part")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        draft = draft_of(study)
        if draft is None:
            raise CommandError(f"Study {study.code} has no draft. Import one with protocol_import {study.code}.")
        if errors := print_problems(self.stdout, study.code, look_at(study, draft.text).problems):
            raise CommandError(f"{errors} errors. Nothing was frozen.")
        try:
            frozen = freeze_protocol(draft, None, with_gaps=options["with_gaps"], why=options["why"])
        except GapsLeft as left:
            for gap in left.gaps:
                self.stdout.write(f"empty: {gap.key}: {gap.label}")
            raise CommandError(
                f"{len(left.gaps)} places of the papers are empty. Nothing was frozen. "
                "Fill them in, or say --with-gaps."
            ) from None
        except NotFrozen as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Study {study.code}, protocol {frozen.number} frozen, sha256 {frozen.sha256}")
