"""manage.py org_sample NAME --out DIR --each 12 --seed S: some records of each object as readable Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.generator.samples import contents, markdown, samples
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.orgs import org_named, snapshot_for


class Command(BaseCommand):
    help = "Write some records of each object as Markdown, one file an object."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the Org, or its hash")
        parser.add_argument("--out", type=Path, required=True, help="the folder to write into")
        parser.add_argument("--each", type=int, default=12, help="records of each object (12)")
        parser.add_argument("--seed", type=int, default=1, help="which records; the same seed gives the same ones (1)")

    def handle(self, *args: Any, name: str, out: Path, each: int, seed: int, **options: Any) -> None:
        if each < 1 or seed < 0:
            raise CommandError("--each must be one or more, and --seed zero or more.")
        try:
            org = org_named(name)
            snapshot = snapshot_for(org)
            out.mkdir(parents=True, exist_ok=True)
            files = []
            for item, total, found in samples(snapshot, each, seed):
                file = f"{item.name}.md"
                (out / file).write_text(markdown(item, total, found), encoding="utf-8")
                files.append((item, total, file))
            title = f"{snapshot.manifest.get('company') or org.name}: records drawn at random"
            (out / "README.md").write_text(contents(title, files), encoding="utf-8")
        except (Org.DoesNotExist, SnapshotError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror or error}") from error
        self.stdout.write(f"{len(files)} files in {out}, hash {snapshot.hash}")
