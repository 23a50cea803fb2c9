"""What names somebody outside their own rows: jobs, sessions, the cache, letters written to files.

These are searched for the strings by which a person is known (``erasing.identifiers``), so they run before the
contact and the account are erased. Letters that the file back end wrote lie in ``REALIA_VAR/mail``; a real mail server
keeps its own, which ``docs/privacy.md`` says.
"""

from __future__ import annotations

import email
import json
from base64 import b64decode
from collections.abc import Iterator
from email.message import Message
from email.policy import default as modern
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from study.accounts.erasing import Eraser, identifiers, register
from study.accounts.models import Job, JobState, Study
from study.accounts.sealed_sessions import SessionStore

RULE = "-" * 79
"""What the file back end writes between two letters."""


def names_one(text: str, wanted: list[str]) -> bool:
    lower = text.lower()
    return any(one in lower for one in wanted)


# Jobs


def _jobs(study: Study, code: str) -> QuerySet[Job]:
    """Jobs that name the person in any of their texts; those that still wait also by the code."""
    wanted = identifiers(study, code)
    found = []
    for job in Job.objects.filter(study=study).only("pk", "state", "params", "result", "note", "error").iterator():
        text = json.dumps([job.params, job.result, job.note, job.error], ensure_ascii=False)
        waits = job.state == JobState.QUEUED and names_one(json.dumps(job.params), [code.lower()])
        if waits or (wanted and names_one(text, wanted)):
            found.append(job.pk)
    return Job.objects.filter(pk__in=found)


def _erase_jobs(study: Study, code: str) -> int:
    """A job that waits is dropped; of a finished one only kind, state and moments stay."""
    rows = _jobs(study, code)
    keys = list(rows.values_list("pk", flat=True))
    rows.filter(state=JobState.QUEUED).update(state=JobState.FAILED, finished_at=timezone.now())
    return Job.objects.filter(pk__in=keys).update(params={}, result={}, note="", error="", once_key="")


# Sessions


def _sessions(study: Study, code: str) -> list[str]:
    wanted, store = identifiers(study, code), SessionStore()
    if not wanted:
        return []
    rows = Session.objects.values_list("session_key", "session_data").iterator()
    return [key for key, data in rows if names_one(json.dumps(store.decode(data), default=str), wanted)]


def _erase_sessions(study: Study, code: str) -> int:
    return Session.objects.filter(session_key__in=_sessions(study, code)).delete()[0]


# The cache, where it is a table of the database; Redis forgets by itself within the hour.


def cache_table() -> str:
    return str(getattr(caches["default"], "_table", ""))


def _cached(study: Study, code: str) -> list[str]:
    wanted, table = identifiers(study, code), cache_table()
    if not wanted or not table:
        return []
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT cache_key, value FROM {connection.ops.quote_name(table)}")
        return [key for key, value in cursor.fetchall() if names_one(f"{key} {_unpacked(value)}", wanted)]


def _unpacked(value: str) -> str:
    """A pickle holds texts as they are; it need not be loaded to look through it."""
    try:
        return b64decode(value).decode("utf-8", "ignore")
    except ValueError:
        return ""


def _erase_cached(study: Study, code: str) -> int:
    keys = _cached(study, code)
    if keys:
        with connection.cursor() as cursor:
            sql = f"DELETE FROM {connection.ops.quote_name(cache_table())} WHERE cache_key = %s"
            cursor.executemany(sql, [(key,) for key in keys])
    return len(keys)


# Letters as files


def mail_folder() -> Path:
    return Path(getattr(settings, "EMAIL_FILE_PATH", None) or settings.REALIA_VAR / "mail")


def _letters(file: Path) -> list[str]:
    """The letters of one file, each with the rule after it."""
    whole = file.read_bytes().decode("utf-8", "surrogateescape")
    return [part for part in whole.split(RULE + "\n") if part.strip()]


def said_in(letter: str) -> str:
    """Everything a letter says, decoded: its headers and each of its parts."""
    message: Message = email.message_from_string(letter, policy=modern)
    return "\n".join([letter, *(f"{name}: {value}" for name, value in message.items()), *_parts(message)])


def _parts(message: Message) -> Iterator[str]:
    for part in message.walk():
        content: Any = part.get_payload(decode=True)
        if isinstance(content, bytes):
            yield content.decode(part.get_content_charset() or "utf-8", "replace")


def _mail_files(study: Study, code: str) -> Iterator[tuple[Path, list[str], int]]:
    """Files with letters to or about the person: the path, the letters that stay, and how many do not.

    Letters to the team name somebody by the code alone and may quote their words.
    """
    wanted, folder = [*identifiers(study, code), code.lower()], mail_folder()
    for file in sorted(folder.glob("*")) if folder.is_dir() else []:
        letters = _letters(file) if file.is_file() else []
        stay = [one for one in letters if not names_one(said_in(one), wanted)]
        if len(stay) < len(letters):
            yield file, stay, len(letters) - len(stay)


def _erase_mail(study: Study, code: str) -> int:
    removed = 0
    for file, stay, n in _mail_files(study, code):
        removed += n
        if not stay:
            file.unlink(missing_ok=True)
            continue
        shorter = file.with_name(f".{file.name}.part")
        shorter.write_bytes("".join(one + RULE + "\n" for one in stay).encode("utf-8", "surrogateescape"))
        shorter.replace(file)
    return removed


JOB_TEXTS = tuple(f"accounts.Job.{name}" for name in ("params", "result", "note", "error", "once_key"))

register(
    Eraser("jobs", "Jobs that name the person; those that wait are dropped", "identity",
           lambda study, code: _jobs(study, code).count(), _erase_jobs, 30, JOB_TEXTS)
)  # fmt: skip
register(
    Eraser("sessions by name", "Sessions that hold the address or panel id", "identity",
           lambda study, code: len(_sessions(study, code)), _erase_sessions, 31, ("sessions.Session.session_data",))
)  # fmt: skip
register(
    Eraser("cache", "Entries of the cache that name the person", "identity",
           lambda study, code: len(_cached(study, code)), _erase_cached, 32)
)  # fmt: skip
register(
    Eraser("mail files", "Letters kept as files by the file back end", "identity",
           lambda study, code: sum(n for *_rest, n in _mail_files(study, code)), _erase_mail, 70)
)  # fmt: skip
