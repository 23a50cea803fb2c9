"""manage.py instances_check NAME: every answer by its rule and again by pandas; exits 1 when any differs."""

import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.benchmark.check import CheckReport, check_instances
from study.benchmark.models import Instance
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.orgs import org_named, snapshot_for

SECONDS_BETWEEN_LINES = 5


class Command(BaseCommand):
    help = "Work out the answers of an Org's instances twice and compare them with the stored ones."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("org", help="name or hash of the Org")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            org = org_named(options["org"])
            snapshot = snapshot_for(org)
        except (Org.DoesNotExist, SnapshotError) as error:
            raise CommandError(str(error)) from error
        instances = list(Instance.objects.filter(org=org).order_by("pk"))
        if not instances:
            raise CommandError(f"Org {org.name} has no instances. Import some with manage.py instances_import.")
        try:
            report = check_instances(instances, snapshot, progress=self._progress(len(instances)))
        except SnapshotError as error:
            raise CommandError(f"The snapshot of {org.name} cannot be read: {error}") from error
        self._print(report)
        if report.differences:
            sys.exit(1)

    def _progress(self, total: int) -> Any:
        last = time.monotonic()

        def tell(n: int) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                self.stderr.write(f"{n} of {total} checked")

        return tell

    def _print(self, report: CheckReport) -> None:
        self.stdout.write(f"{'task':<36}{'agree':>8}{'differ':>8}{'no rule':>9}")
        for task in report.tasks:
            self.stdout.write(f"{task:<36}{report.agree[task]:>8}{report.differ[task]:>8}{report.no_rule[task]:>9}")
        agree, differ, no_rule = report.agree.total(), report.differ.total(), report.no_rule.total()
        self.stdout.write(f"{'all':<36}{agree:>8}{differ:>8}{no_rule:>9}")
        if report.unclear:
            self.stdout.write(f"agree with a narrow lead: {', '.join(report.unclear[:20])}")
        for difference in report.differences[:50]:
            self.stdout.write(f"differs: {difference}")
        self.stdout.write(f"{agree} agree, {differ} differ, {no_rule} no rule")
