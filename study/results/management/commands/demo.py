"""manage.py demo: a generated Org, a completed study, an open one, sign-in links, and everything served."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from study.accounts.serving import (
    CannotServe,
    Together,
    interrupt_on_stop,
    port_is_free,
    wait_until_up,
    web_command,
    worker_command,
)
from study.fieldwork.simulation.run import CannotSimulate
from study.results import demo

NEEDED_MB = 300
MARKER = "demo.folder"


class Command(BaseCommand):
    help = "Set up the demo in the data folder and serve it on 127.0.0.1."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--reset", action="store_true", help="remove the demo's data and stop")
        parser.add_argument("--setup-only", action="store_true", help="build everything, print the links, do not serve")

    def handle(self, *args: Any, **options: Any) -> None:
        interrupt_on_stop()
        lock = hold(settings.REALIA_VAR / "demo.lock")
        try:
            if options["reset"]:
                reset(settings.REALIA_VAR)
                self.stdout.write("The demo's data are gone. make demo builds them again.")
                return
            if not port_is_free(options["port"]) and not options["setup_only"]:
                raise CommandError(
                    f"Port {options['port']} is in use. Stop what runs there, or: make demo PORT={options['port'] + 1}"
                )
            self.set_up(options["port"])
            if not options["setup_only"]:
                self.serve(options["port"])
        except KeyboardInterrupt:
            self.stdout.write("")
            raise CommandError("Stopped before it was ready. make demo goes on from here.", returncode=130) from None
        except (CannotSimulate, CannotServe) as error:
            raise CommandError(str(error)) from None
        except (OSError, DatabaseError, sqlite3.Error) as error:
            if is_full(error):
                raise CommandError("The disk is full. Free some space and run make demo again.") from None
            raise
        finally:
            lock.close()

    def set_up(self, port: int) -> None:
        if str(settings.DATABASES["default"]["NAME"]) != str(settings.REALIA_VAR / "realia.sqlite3"):
            raise CommandError("The demo has a database of its own. Unset DATABASE_URL and run make demo again.")
        if shutil.disk_usage(settings.REALIA_VAR).free < NEEDED_MB * 1_000_000:
            raise CommandError(f"Too little space: the demo needs about {NEEDED_MB} MB. Free some and try again.")
        (settings.REALIA_VAR / MARKER).touch()
        self.step("Database", lambda: call_command("migrate", verbosity=0))
        self.step("Styles and scripts", lambda: call_command("collectstatic", interactive=False, verbosity=0))
        logging.getLogger("kombu").setLevel(logging.ERROR)
        for label, work in demo.steps():
            self.step(label, work)
        base = f"http://127.0.0.1:{port}"
        self.stdout.write("\nSign-in links, for this run only (press the button on the page):")
        for person, path in demo.links():
            self.stdout.write(f"  {person:<38} {base}{path}")

    def step(self, label: str, work: Callable[[], object]) -> None:
        begun = time.monotonic()
        self.stdout.write(f"{label} ... ", ending="")
        self.stdout.flush()
        said = work()
        took = time.monotonic() - begun
        self.stdout.write(f"{said or 'done'}" + (f" ({took:.0f} s)" if took >= 1 else ""))

    def serve(self, port: int) -> None:
        together = Together({"REALIA_DEMO": "1", "REALIA_URL": f"http://127.0.0.1:{port}"})
        try:
            together.start(web_command(port), settings.REALIA_VAR / "web.log")
            together.start(worker_command(), settings.REALIA_VAR / "worker.log")
            wait_until_up(port, together)
            self.stdout.write(f"\nRealia is at http://127.0.0.1:{port}/ . Ctrl-C stops it.")
            while not together.failed():
                time.sleep(0.5)
            raise CommandError(f"A process stopped. The logs are in {settings.REALIA_VAR}.")
        except KeyboardInterrupt:
            self.stdout.write("\nStopping ...")
        finally:
            together.stop()
        self.stdout.write("Stopped. make demo starts it again with the same data.")


def is_full(error: Exception) -> bool:
    """Whether a disk without space is behind an error, as the file system or as the database tells it."""
    return getattr(error, "errno", 0) == errno.ENOSPC or "disk is full" in str(error)


def hold(path: Path) -> TextIO:
    """The lock of one data folder. Raises CommandError while another demo holds it."""
    lock = path.open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        raise CommandError(
            f"Another demo is running on {path.parent} (process {lock.read().strip() or 'unknown'}). Stop it first."
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def reset(folder: Path) -> None:
    """Remove what the demo made; the lock stays, since we hold it. A folder that no demo marked is left alone."""
    if not (folder / MARKER).exists():
        if any(item.name not in {"demo.lock", "secret.key", "broker", "static"} for item in folder.iterdir()):
            raise CommandError(f"{folder} holds data that no demo made. Nothing was removed.")
        return
    for item in folder.iterdir():
        if item.name == "demo.lock":
            continue
        if item.is_dir() and not item.is_symlink():
            shutil.rmtree(item)
        else:
            item.unlink()
