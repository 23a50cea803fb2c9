"""Where an Org is made before it is one: a folder that is gone afterwards, however the work ends.

What was interrupted removes its folder itself. What was killed cannot; the next work
finds the folder without its owner, and removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

SUFFIX = ".part"
_LOCK = "lock"
_DAY = 86_400.0


@contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """A new folder within ``folder``; leftovers of killed works are removed first."""
    remove_leftovers(folder)
    made = Path(tempfile.mkdtemp(prefix="org-", suffix=SUFFIX, dir=folder))
    try:
        # The lock gets its name when it is held, so nobody can find it free in between.
        with open(made / "new", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            (made / "new").rename(made / _LOCK)
            yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def remove_leftovers(folder: Path) -> list[Path]:
    """Remove works whose process is gone, and those of more than a day ago. What was removed."""
    removed = []
    for path in sorted(folder.glob("*" + SUFFIX)):
        if _left_over(path):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
            removed.append(path)
    return removed


def _left_over(path: Path) -> bool:
    try:
        if time.time() - path.lstat().st_mtime > _DAY:
            return True
        handle = os.open(path / _LOCK, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        # Just being made, or just gone.
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


@contextmanager
def stoppable() -> Iterator[None]:
    """Being told to stop (SIGTERM, SIGHUP) is an interruption like Ctrl+C here, so that everything is put away."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
