"""manage.py instances_import FILE --org NAME: query instances of the published format, into one Org."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.benchmark.flows import import_instances
from study.benchmark.problems import UnreadableFile
from study.benchmark.report import ImportReport
from study.benchmark.tasks import TASKS
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.orgs import org_named


class Command(BaseCommand):
    help = "Import query instances (JSON, JSON Lines, gzip of either) for an Org. Importing twice adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--org", required=True, help="name or hash of the Org")
        parser.add_argument("--replace", action="store_true", help="take over records that changed since they came in")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            org = org_named(options["org"])
            report = import_instances(file.read_bytes(), org, source=file.name, replace=options["replace"])
        except (Org.DoesNotExist, SnapshotError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        except UnreadableFile as error:
            raise CommandError(f"{file.name}: {error}") from None
        for line in report_lines(report):
            self.stdout.write(line)


def report_lines(report: ImportReport) -> list[str]:
    """The report as it is printed."""
    published = sum(task in TASKS for task in report.tasks)
    lines = [
        f"{report.source}: {report.total} instances of {len(report.tasks)} tasks for Org {report.org}"
        + ("" if published == len(report.tasks) else f" ({len(report.tasks) - published} not published)"),
        "",
        f"{'task':<36}{'n':>6}{'None':>7}{'share':>8}{'assignable':>12}",
    ]
    for task, n in sorted(report.tasks.items(), key=lambda pair: (-pair[1], pair[0])):
        none = report.none_by_task[task]
        lines.append(f"{task:<36}{n:>6}{none:>7}{none / n:>8.0%}{report.assignable_by_task[task]:>12}")
    share = report.none / report.total if report.total else 0
    lines += [
        f"{'all':<36}{report.total:>6}{report.none:>7}{share:>8.0%}{report.assignable:>12}",
        "",
        "skill   " + ", ".join(f"{name} {n}" for name, n in sorted(report.skills.items())),
        "metric  " + ", ".join(f"{name} {n}" for name, n in sorted(report.metrics.items())),
        f"today   {report.with_today} carry their own, {report.total - report.with_today} take the Org's last day",
        "",
        f"new {report.new}, unchanged {report.unchanged}, changed {len(report.changed)}"
        + (f", replaced {report.replaced}" if report.replaced else ""),
    ]
    return lines + list(_not_assignable(report)) + list(_wrong(report))


def _not_assignable(report: ImportReport) -> list[str]:
    lines = [f"not assignable: {report.total - report.assignable} (kept)"] if report.obstacles else []
    for reason, n in report.obstacles.most_common():
        words = "records named in answer or question are not in the Org" if reason == "records" else reason
        lines.append(f"  {n:>5}  {words}")
    return lines


def _wrong(report: ImportReport) -> list[str]:
    lines = []
    if report.changed:
        named = ", ".join(f"{idx} ({', '.join(fields)})" for idx, fields in list(report.changed.items())[:10])
        advice = "" if report.replaced else " The stored ones stay; --replace takes the file's."
        lines.append(f"changed since the last import: {named}{' …' if len(report.changed) > 10 else ''}.{advice}")
    if report.twins:
        named = ", ".join(f"{first} = {second}" for first, second in report.twins[:20])
        lines.append(f"the same question, context and answer under two numbers, {len(report.twins)} times: idx {named}")
    for kind, places in report.grouped_remarks():
        shown = ", ".join(places[:20]) + (" …" if len(places) > 20 else "")
        lines.append(f"{len(places)} × {kind} idx {shown}")
    if report.left_out:
        lines.append(f"left out: {len(report.left_out)}")
        lines += [f"  {problem}" for problem in report.left_out[:50]]
        if len(report.left_out) > 50:
            lines.append(f"  … and {len(report.left_out) - 50} more")
    return lines
