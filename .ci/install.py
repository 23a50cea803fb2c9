"""Make the virtual environment and install one pinned, hashed set of requirements into it.

Standard library only: it runs before anything is installed. Each way in which
it usually fails ends in one line that says what to do.
"""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from pathlib import Path

NEEDED_MB = 900


def fail(line: str) -> None:
    print(line, file=sys.stderr)
    raise SystemExit(1)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, text=True, capture_output=True, check=False)


def explain(result: subprocess.CompletedProcess[str], what: str) -> None:
    """One line for the usual causes; the installer's last lines for the others."""
    said = result.stdout + result.stderr
    low = said.lower()
    if "no space left" in low:
        fail(f"The disk is full: {what} needs about {NEEDED_MB} MB. Free some space and run the command again.")
    if any(word in low for word in ("name resolution", "connection", "could not find a version", "dns", "network")):
        fail(f"The package index cannot be reached, so {what} was not installed. Check the network and run it again.")
    fail(f"{what} was not installed:\n" + "\n".join(said.strip().splitlines()[-5:]))


def main(python: str, folder: str, uv_version: str, requirements: str) -> None:
    venv = Path(folder)
    if shutil.disk_usage(venv.parent.absolute()).free < NEEDED_MB * 1_000_000 and not venv.exists():
        fail(f"Too little space here: Realia needs about {NEEDED_MB} MB. Free some and run the command again.")
    binary = venv / "bin" / "python"
    if not binary.exists():
        print("Making a virtual environment ...", flush=True)
        made = run(python, "-m", "venv", str(venv))
        if made.returncode:
            shutil.rmtree(venv, ignore_errors=True)
            if "ensurepip" in made.stdout + made.stderr:
                fail("This Python has no venv module. On Debian: apt install python3-venv")
            explain(made, "the virtual environment")
    uv = venv / "bin" / "uv"
    if not uv.exists() or uv_version not in run(str(uv), "--version").stdout:
        print("Getting the installer ...", flush=True)
        got = run(str(binary), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"uv=={uv_version}")
        if got.returncode:
            explain(got, "the installer")
    print(f"Installing {requirements} ...", flush=True)
    done = run(str(uv), "pip", "install", "--quiet", "--python", str(binary), "--require-hashes", "-r", requirements)
    if done.returncode:
        explain(done, requirements)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as error:
        if error.errno == errno.ENOSPC:
            fail("The disk is full. Free some space and run the command again.")
        raise
