"""manage.py regrade STUDY: grade every attempt again by the newest keys, and say what changed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.models import Study
from study.fieldwork.grades import regrade


class Command(BaseCommand):
    help = "Grade a study's attempts again from their stored answers and the newest keys. Answers stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="code of the study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("code").values_list("code", flat=True)) or "none yet"
            raise CommandError(f"There is no study {options['study']!r}. Studies here: {known}.")
        changes = regrade(study, by=None)
        for change in changes:
            self.stdout.write(str(change))
        self.stdout.write(f"{len(changes)} grades changed.")
