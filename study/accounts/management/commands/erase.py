"""manage.py erase STUDY P-XXXX: erase who a participant was, or everything of them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts import erasing, erasing_acts
from study.accounts.audit import audit
from study.accounts.erasing import Scope
from study.accounts.jobs import JobFailed
from study.accounts.models import Erasure, Study


class Command(BaseCommand):
    help = "Erase who a participant was; the row with the code stays. Repeatable: a second run finds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="study code")
        parser.add_argument("participant", help="participant code, such as P-7KQ4")
        parser.add_argument("--everything", action="store_true", help="their answers, ratings and texts as well")
        parser.add_argument("--dry-run", action="store_true", help="say what is held where; change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        code = options["participant"].strip().upper()
        if study is None or not study.participants.filter(code=code).exists():
            raise CommandError(f"There is no {code} in a study {options['study']!r}.")
        scope: Scope = "everything" if options["everything"] else "identity"
        for one in erasing.preview(study, code, scope):
            if one.n:
                self.stdout.write(f"{one.name}: {one.n} ({one.what})")
            if one.note:
                self.stdout.write(one.note)
        if options["dry_run"]:
            self.stdout.write("Nothing was changed.")
            return
        row, _made = Erasure.objects.get_or_create(study=study, subject=code, scope=scope)
        audit("erasure.confirmed", by=None, study=study, target=code, scope=scope)
        try:
            removed = erasing_acts.carry_out(row)
        except JobFailed as failed:
            raise CommandError(str(failed)) from None
        row.refresh_from_db()
        self.stdout.write(
            f"{code}: {sum(removed.values())} removed, 0 left. Database file: {row.report['file']['file']}."
        )
