"""manage.py org_pull --name NAME: a live Salesforce org becomes an Org; interrupted, it goes on where it stopped."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from study.accounts.models import Study
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.workshop import stoppable
from study.sandbox.exchange.live_org import LiveOrg, PullStopped, connect
from study.sandbox.exchange.org_files import OrgInput
from study.sandbox.exchange.org_intake import store, study_named
from study.sandbox.exchange.org_pulling import BULK_FROM, Pull, PullWish, stopped_words
from study.sandbox.models import Org

FOLDER = "pulls"


class Command(BaseCommand):
    help = (
        "Pull a live Salesforce org. Credentials come from the environment and are never stored: "
        "SALESFORCE_INSTANCE_URL and SALESFORCE_SESSION_ID, or SALESFORCE_USERNAME, SALESFORCE_PASSWORD and "
        "SALESFORCE_TOKEN."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="the name of the Org: letters, digits, - and _")
        parser.add_argument("--objects", default="", help="objects with commas between, or all")
        parser.add_argument("--folder", type=Path, help="where the pull is kept until it is whole")
        parser.add_argument("--layout", type=Path, help="a layout file: labels, columns, sections, views")
        parser.add_argument("--zone", default="", help="the Org's time zone; the org itself says otherwise")
        parser.add_argument("--company", default="", help="the company's name; the org itself says otherwise")
        parser.add_argument("--bulk-from", type=int, default=BULK_FROM, help="records from which bulk queries are used")
        parser.add_argument("--study", help="the code of the study that alone will see the Org (default: every study)")
        parser.add_argument("--keep", action="store_true", help="keep the pulled pages when the Org is made")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        try:
            validate_slug(name)
        except ValidationError as error:
            raise CommandError(f"--name {name}: use letters, digits, - and _.") from error
        if other := Org.objects.filter(name=name).first():
            raise CommandError(f"{name} is the name of another Org ({other.hash[:12]}). Choose another name.")
        folder = options["folder"] or settings.REALIA_VAR / FOLDER / name
        objects = tuple(part.strip() for part in options["objects"].split(",") if part.strip())
        wish = PullWish(folder, objects, options["zone"], options["company"], options["layout"], options["bulk_from"])
        try:
            study = study_named(options["study"])
            self._pull(self.connected(), wish, name, study)
        except SnapshotError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{folder} cannot be written: {error.strerror or error}") from None
        if not options["keep"]:
            shutil.rmtree(folder, ignore_errors=True)

    def connected(self) -> LiveOrg:
        return connect(os.environ)

    def _pull(self, org: LiveOrg, wish: PullWish, name: str, study: Study | None) -> None:
        pull = Pull(org, wish, self._told)
        if pull.state.begun:
            self.stdout.write(f"Going on with the pull in {wish.folder}.")
        try:
            with stoppable():
                self._finish(pull.run(), name, study)
        except PullStopped as error:
            raise SnapshotError(stopped_words(error, pull.state.objects.items())) from None
        except KeyboardInterrupt:
            raise SnapshotError("Stopped. Run the same command again: it goes on where it stopped.") from None

    def _finish(self, given: OrgInput, name: str, study: Study | None) -> None:
        for note in given.loaded.notes:
            self.stdout.write(f"note: {note}")
        for problem in given.loaded.problems:
            self.stdout.write(f"problem: {problem}")
        stored = store(given, name, study=study)
        made, info = stored.org, stored.info
        records = sum(info.counts.values())
        self.stdout.write(f"{len(info.counts)} objects, {records:,} records, last day {info.last_day}")
        self.stdout.write(f"hash {info.hash}")
        known = f"This content is here already, as {made.name}; nothing was added."
        self.stdout.write(self.style.SUCCESS(f"Pulled as {name}.") if made.name == name else known)

    def _told(self, name: str, done: int, total: int | None) -> None:
        self.stdout.write(f"  {name}: {done:,}" + (f" of {total:,}" if total is not None else ""))
