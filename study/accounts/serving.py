"""One place that runs Realia's processes together: web server, worker and beat; stopped as one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

STOP_SECONDS = 8


class CannotServe(Exception):
    """Why nothing was started, in one line that says what to do."""


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def collect_static() -> None:
    """Gather styles and scripts where the server looks for them, once per data folder."""
    if not (settings.STATIC_ROOT / "staticfiles.json").exists() and not settings.DEBUG:
        call_command("collectstatic", interactive=False, verbosity=0)


def web_command(port: int, *, workers: int = 1, threads: int = 8) -> list[str]:
    return [
        sys.executable, "-m", "gunicorn", "study.wsgi",
        "--bind", f"127.0.0.1:{port}", "--worker-class", "gthread",
        "--workers", str(workers), "--threads", str(threads),
        "--no-control-socket", "--log-level", "warning", "--graceful-timeout", "5", "--timeout", "60",
    ]  # fmt: skip


def worker_command() -> list[str]:
    """A worker with beat inside: enough for one machine."""
    return [
        sys.executable, "-m", "celery", "-A", "study", "worker",
        "--pool", "threads", "--concurrency", "2", "--beat", "--loglevel", "warning",
        "--without-gossip", "--without-mingle", "--without-heartbeat",
    ]  # fmt: skip


# Ctrl-C too: a shell that starts us in the background has it ignored.
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_on_stop() -> None:
    """Let a closed terminal and a polite kill end like Ctrl-C, so that whatever was started is stopped too."""

    def interrupt(*_: object) -> None:
        # Once: a second signal must not cut short the stopping that the first one began.
        for name in STOPS:
            signal.signal(name, signal.SIG_IGN)
        raise KeyboardInterrupt

    for name in STOPS:
        signal.signal(name, interrupt)


class Together:
    """Processes that live and die together."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.environment = os.environ | (environment or {})

    def start(self, command: list[str], log: Path) -> None:
        with log.open("ab") as out:
            # A session of its own: Ctrl-C reaches us alone, and we stop them in order.
            process = subprocess.Popen(
                command, stdout=out, stderr=subprocess.STDOUT, env=self.environment,
                cwd=settings.BASE_DIR, start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)

    def failed(self) -> bool:
        return any(process.poll() is not None for process in self.processes)

    def stop(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for process in self.processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_until_up(port: int, together: Together, seconds: float = 30) -> None:
    """Until the port answers. Raises CannotServe when the server stopped or stays silent."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if together.failed():
            break
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise CannotServe(f"The server did not come up. Its log is {settings.REALIA_VAR / 'web.log'}.")
