"""manage.py org_verify NAME [--out DIR] [--json]: whether an Org holds what it should, and its data card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.generator.verify.asked import NOT_THERE
from study.generator.verify.card import write_card
from study.generator.verify.outcome import Check
from study.generator.verify.report import Report, verify
from study.generator.verify.source import reading
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.orgs import org_named, snapshot_for


class Command(BaseCommand):
    help = (
        "Check an Org: formats, lookups, order of times, texts, facts, plausibility, fingerprints. Exit 1 on a fault."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the Org, or its hash")
        parser.add_argument("--out", type=Path, help="a folder for the data card: data-card.md, data-card.html, csv/")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")

    def handle(self, *args: Any, name: str, out: Path | None, **options: Any) -> None:
        try:
            org = org_named(name)
            snapshot = snapshot_for(org)
            truth = Path(settings.REALIA_VAR) / "truth" / f"{org.hash}.jsonl.gz"
            report = verify(snapshot, truth)
            if out is not None:
                with reading(snapshot, truth) as source:
                    write_card(source, report, out)
        except (Org.DoesNotExist, SnapshotError, ValueError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename or out} cannot be read or written: {error.strerror}") from error
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), indent=1, ensure_ascii=False))
        else:
            self._tell(report)
        if report.failed:
            names = ", ".join(dict.fromkeys(check.name for check in report.failed))
            raise CommandError(f"{len(report.failed)} of {len(report.checks)} checks failed: {names}", returncode=1)

    def _tell(self, report: Report) -> None:
        for check in report.checks:
            if check.skipped == NOT_THERE:
                continue
            self.stdout.write(self._line(check))
            if not check.passed:
                for example in check.examples:
                    self.stdout.write(f"    {example}")
        for one in report.variety:
            self.stdout.write(
                f"{one.name}: {one.texts:,} texts, near-duplicates {one.alike:g} %, commonest opening "
                f"{one.opening_share:g} %, skeletons a text {one.skeletons:.2f}, distinct-2 {one.distinct_pairs:.2f}, "
                f"words median {one.median}, p95 {one.p95}"
            )
        passed = sum(check.passed and not check.skipped for check in report.checks)
        skipped = sum(bool(check.skipped) for check in report.checks)
        self.stdout.write(f"{passed} passed, {len(report.failed)} failed, {skipped} not made. hash {report.hash}")

    @staticmethod
    def _line(check: Check) -> str:
        if check.skipped:
            return f"  --    {check.name}: {check.about} (not checked: {check.skipped})"
        sign = "at least" if check.least else "at most"
        mark = "  ok  " if check.passed else "  FAIL"
        unit = f" {check.unit}" if check.unit else ""
        return (
            f"{mark}  {check.name}: {check.about}; {check.looked_at:,} looked at, "
            f"{check.found:g}{unit}, {sign} {check.limit:g}{unit}"
        )
