"""manage.py pilot_report STUDY: what the pilot's hours show, beside the protocol's limits."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.models import Study
from study.results.pilot import Line, pilot_report


class Command(BaseCommand):
    help = "Print what the pilot's people show, beside the protocol's limits. No rating but “can't judge” is read."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        report = pilot_report(study)
        wanted = f" of {report.wanted}" if report.wanted else ""
        self.stdout.write(f"{study.code}: {report.begun}{wanted} began, {report.people} in the pilot")
        for one in report.measures:
            said = one.shown if one.value is not None else one.missing
            self.stdout.write(
                f"{one.label:<50} {said:>12} {f'n = {one.n}':>8}  {one.limit_words:<18} {one.verdict}".rstrip()
            )
        self.lines("Kinds of question", report.tasks)
        self.lines("Cards", report.cards)
        self.lines("Questions called unclear", report.unclear)
        self.stdout.write(report.verdict)

    def lines(self, title: str, lines: tuple[Line, ...]) -> None:
        if lines:
            self.stdout.write(title)
        for line in lines:
            self.stdout.write(f"  {line.label:<40} {line.value} (n = {line.n})")
