"""manage.py org_dossiers NAME --control NAME --seed S --out DIR: dossiers as pages, and a key to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.generator.degrade.dossier_pages import contents, file_name, page
from study.sandbox.dossiers import dossiers, key
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.orgs import org_named, snapshot_for

PAGES, KEY = "pages", "key.json"


class Command(BaseCommand):
    help = "Write dossiers from an Org and its control as pages; key.json beside them says which is which."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the Org, or its hash")
        parser.add_argument("--control", required=True, help="the name of its control Org")
        parser.add_argument(
            "--seed", type=int, required=True, help="zero or more; the same seed gives the same dossiers"
        )
        parser.add_argument("--number", type=int, default=6, help="how many, half of each (6)")
        parser.add_argument("--out", type=Path, required=True, help="a folder; pages/ is for readers, key.json is not")

    def handle(self, *args: Any, name: str, control: str, seed: int, number: int, out: Path, **options: Any) -> None:
        try:
            org, other = org_named(name), org_named(control)
            if other.manifest.get("parent") != org.hash:
                how = f"Make one with org_degrade {org.name} --recipe shuffled."
                raise CommandError(f"{other.name} is no control of {org.name}. {how}")
            found = dossiers(snapshot_for(org), snapshot_for(other), seed, number)
            folder = out / PAGES
            folder.mkdir(parents=True, exist_ok=True)
            for place, one in enumerate(found, 1):
                (folder / file_name(place)).write_text(page(one, place), encoding="utf-8")
            (folder / "index.html").write_text(contents(found), encoding="utf-8")
            told = {"org": org.hash, "control": other.hash, "seed": seed, "dossiers": key(found)}
            (out / KEY).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        except (Org.DoesNotExist, SnapshotError, ValueError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror or error}") from error
        self.stdout.write(f"{len(found)} dossiers in {folder}; which is which stands in {out / KEY}")
