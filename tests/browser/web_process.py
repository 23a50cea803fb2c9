"""The real web process on a data folder of its own, to be killed and started again; and people in their hour."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# One participant at their first question and one at their ratings, walked there over HTTP.
PREPARE = """
import json, django
django.setup()
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
from study.accounts.adapter import user_with_address
from study.accounts.flows import create_study
from tests.fieldwork.hour import Hour, make_cohort, make_small_org
study = create_study(code="spring", name="Spring realism study", owner=user_with_address("ada@example.test"))
cohort = make_cohort(study, make_small_org())
people = {}
for name in ("working", "rating"):
    hour = Hour.begin(cohort, user_with_address(f"{name}@example.test"), Client())
    hour.orient()
    if name == "working":
        page = hour.open_question()
    else:
        hour.work()
        page = f"/hour/{hour.code}/ratings/Org/"
    people[name] = {"code": hour.code, "page": page, "session": hour.client.cookies["sessionid"].value}
print(json.dumps(people))
"""


@dataclass
class WebProcess:
    """gunicorn on a free port. ``kill`` ends it without a word, as a power cut would."""

    folder: Path
    port: int = 0
    people: dict[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        mine = {
            "REALIA_VAR": str(self.folder),
            "REALIA_URL": self.url,
            "REALIA_DEBUG": "1",
            "REALIA_HOSTS": "127.0.0.1,testserver",
            "DJANGO_SETTINGS_MODULE": "study.settings",
            "PYTHONPATH": str(ROOT),
        }
        kept = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL")}
        return kept | mine

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def prepare(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        made = subprocess.run(
            [sys.executable, "-c", PREPARE], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr[-3000:]
        self.people = json.loads(made.stdout.splitlines()[-1])

    def start(self) -> None:
        command = [sys.executable, "-m", "gunicorn", "study.wsgi", "--bind", f"127.0.0.1:{self.port}", "--threads", "4"]
        with (self.folder / "web.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        for _try in range(300):
            try:
                urllib.request.urlopen(f"{self.url}/", timeout=5).close()
            except (urllib.error.URLError, OSError):
                assert self.process.poll() is None, (self.folder / "web.log").read_text()[-3000:]
                time.sleep(0.1)
            else:
                return
        raise AssertionError("the web process did not answer")

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
