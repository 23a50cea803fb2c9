"""manage.py instances_export NAME --out FILE: the instances of an Org in the published format, answers included."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.benchmark.flows import exported
from study.benchmark.models import Instance
from study.sandbox.models import Org
from study.sandbox.orgs import org_named


class Command(BaseCommand):
    help = "Write an Org's query instances as JSON, JSON Lines (.jsonl) or gzip of either (.gz). Holds the answers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("org", help="name or hash of the Org")
        parser.add_argument("--out", type=Path, help="file to write; without it the list is printed")
        parser.add_argument("--task", action="append", default=[], help="only this task (may be repeated)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            org = org_named(options["org"])
        except Org.DoesNotExist as error:
            raise CommandError(str(error)) from error
        instances = Instance.objects.filter(org=org).order_by("pk")
        if options["task"]:
            instances = instances.filter(task__in=options["task"])
        records = exported(instances.iterator())
        out: Path | None = options["out"]
        if out is None:
            json.dump(records, sys.stdout, ensure_ascii=False, indent=2)
            return
        content = _written(records, lines=".jsonl" in out.suffixes).encode()
        try:
            # No time in the header: the same instances give the same file.
            out.write_bytes(gzip.compress(content, mtime=0) if out.suffix == ".gz" else content)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        self.stdout.write(f"{len(records)} instances written to {out}")


def _written(records: list[dict[str, Any]], *, lines: bool) -> str:
    if lines:
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"
