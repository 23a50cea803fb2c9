"""manage.py instances_export NAME --out FILE: the instances of an Org as a file, answers included.

Our own format has everything we know of an instance; --format crmarena-pro and crmarena have the published keys only.
"""

import gzip
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.benchmark.flows import exported
from study.benchmark.models import Instance
from study.benchmark.published import Split, crmarena, crmarena_pro
from study.sandbox.models import Org
from study.sandbox.orgs import org_named

FORMATS = ("realia", "crmarena-pro", "crmarena")


class Command(BaseCommand):
    help = "Write an Org's query instances as JSON, JSON Lines (.jsonl) or gzip of either (.gz). Holds the answers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("org", help="name or hash of the Org")
        parser.add_argument("--out", type=Path, help="file to write; without it the list is printed")
        parser.add_argument("--format", choices=FORMATS, default="realia", help="realia has our further keys too")
        parser.add_argument(
            "--split",
            choices=get_args(Split),
            default="single",
            help="of crmarena-pro: the policy with the context (single), or with the requester (interactive)",
        )
        parser.add_argument("--task", action="append", default=[], help="only this task (may be repeated)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            org = org_named(options["org"])
        except Org.DoesNotExist as error:
            raise CommandError(str(error)) from error
        instances = Instance.objects.filter(org=org).order_by("pk")
        if options["task"]:
            instances = instances.filter(task__in=options["task"])
        records = _records(instances.iterator(), options["format"], options["split"])
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
        if left := instances.count() - len(records):
            self.stdout.write(f"{left} of other tasks than the nine original ones left out")


def _records(instances: Iterable[Instance], form: str, split: Split) -> list[dict[str, Any]]:
    if split != "single" and form != "crmarena-pro":
        raise CommandError("Only --format crmarena-pro has an interactive split.")
    if form == "crmarena-pro":
        return crmarena_pro(instances, split)
    return crmarena(instances) if form == "crmarena" else exported(instances)


def _written(records: list[dict[str, Any]], *, lines: bool) -> str:
    if lines:
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"
