"""manage.py smoke: a whole study with simulated experts in a temporary folder, checked end to end."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.serving import interrupt_on_stop
from study.results.smoke_run import PROTOCOLS, SABOTAGES, Failed, Smoke


class Command(BaseCommand):
    help = "Study, experts, export and analysis in a temporary folder. SABOTAGE=… damages one thing, to be noticed."
    # The run has a data folder and a database of its own; those of the caller are not needed.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--experts", type=int, default=20)
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--protocol", choices=sorted(PROTOCOLS), default="realia-hour", help="experts go per arm")
        parser.add_argument("--scale", type=float, help="of the Orgs that are made (default: the usual one)")
        parser.add_argument(
            "--folder", type=Path, help="an empty folder to work in and to keep (default: a temporary one)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        sabotage = os.environ.get("SABOTAGE", "")
        if sabotage and sabotage not in SABOTAGES:
            raise CommandError(f"No SABOTAGE {sabotage}. Known: {', '.join(sorted(SABOTAGES))}.", returncode=2)
        if options["folder"] is None:
            with tempfile.TemporaryDirectory(prefix="realia-smoke-") as place:
                return self.run(Path(place), sabotage, options)
        folder: Path = options["folder"].expanduser().absolute()
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise CommandError(f"{folder} is not empty. Give a folder without files.", returncode=2)
        return self.run(folder, sabotage, options)

    def run(self, folder: Path, sabotage: str, options: dict[str, Any]) -> None:
        interrupt_on_stop()
        chosen = {name: options[name] for name in ("experts", "seed", "protocol", "scale")}
        smoke = Smoke(folder, self.tell, sabotage=sabotage, **chosen)
        try:
            self.tell(smoke.run())
        except Failed as failure:
            for line in failure.lines[:-1]:
                self.tell(line)
            raise CommandError(failure.lines[-1]) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped.", returncode=130) from None

    def tell(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
