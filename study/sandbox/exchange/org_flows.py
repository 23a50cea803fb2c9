"""What staff do with Orgs: bring one in, take one out, delete one."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.jobs import enqueue
from study.accounts.models import Job, Study, User
from study.sandbox.exchange.archives import MAGIC as ZIP
from study.sandbox.exchange.exporting import FORMS
from study.sandbox.exchange.foreign_sqlite import MAGIC as SQLITE
from study.sandbox.exchange.shelves import EXPORT, IMPORT, Shelf
from study.sandbox.models import Org, Purpose

UPLOADS = "org-uploads"
LONGEST_NAME = 60
_SIDE_FILES = ("schema", "layout")


def upload_limit() -> int:
    """Bytes an upload may have, all its files together."""
    return int(settings.ORG_UPLOAD_MB) * 1_000_000


def queue_import(shelf: Shelf, fields: dict[str, str], files: dict[str, UploadedFile[Any]]) -> Job:
    """Keep the uploaded files and queue their conversion. ValidationError with every reason not to."""
    fields = fields | {"name": full_name(shelf.study, fields.get("name", ""))}
    problems = list(_import_problems(shelf.study, fields, files))
    if problems:
        raise ValidationError(problems)
    token = secrets.token_hex(16)
    folder = settings.REALIA_VAR / UPLOADS / token
    folder.mkdir(parents=True)
    kept = {part: _keep(folder, part, file) for part, file in files.items()}
    about = {key: fields.get(key, "") for key in ("name", "zone", "company")}
    with transaction.atomic():
        audit("org.uploaded", by=shelf.user, study=shelf.study, target=about["name"], bytes=files["file"].size or 0)
        return enqueue(IMPORT, {"folder": token, **kept, **about}, study=shelf.study, by=shelf.user)


def full_name(study: Study | None, name: str) -> str:
    """The name an Org of a study gets: the study's code comes first.

    So names of other studies' Orgs are never in the way, and nobody learns of them by trying (P-39).
    """
    if study is None or not name or name.startswith(f"{study.code}-"):
        return name
    return f"{study.code}-{name}"


def _import_problems(study: Study | None, fields: dict[str, str], files: dict[str, UploadedFile[Any]]) -> Iterable[str]:
    name = fields.get("name", "")
    try:
        validate_slug(name)
    except ValidationError:
        yield _("The name takes letters, digits, - and _; no blanks.")
    if len(name) > LONGEST_NAME:
        longest = LONGEST_NAME - (len(study.code) + 1 if study else 0)
        yield _("The name has at most %(n)s characters.") % {"n": longest}
    elif name and Org.objects.filter(name=name).exists():
        yield _("The name %(name)s is taken on this installation. Choose another.") % {"name": name}
    if (zone := fields.get("zone", "")) and zone not in available_timezones() - {"localtime"}:
        yield _("%(zone)s is not a time zone. Write one such as UTC or America/Chicago.") % {"zone": zone[:60]}
    if len(fields.get("company", "")) > 120:
        yield _("The company's name has at most 120 characters.")
    if (file := files.get("file")) is None or not file.size:
        yield _("Choose a file: an SQLite database, a snapshot, or a .zip of CSV files with their schema.")
    else:
        start = file.read(len(SQLITE))
        file.seek(0)
        if start != SQLITE and start[:4] not in ZIP:
            yield _("This is neither an SQLite database nor a .zip of CSV files with their schema.")
    for part in _SIDE_FILES:
        if (side := files.get(part)) is not None and (side.size or 0) > 2_000_000:
            yield _("The %(part)s has more than 2 MB.") % {"part": part}


def _keep(folder: Path, part: str, file: UploadedFile[Any]) -> str:
    """Under a plain name of its own: what the browser called it is only shown."""
    given = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(str(file.name or "")).name).strip(".-")[-80:] or part
    (folder / part).mkdir()
    with open(folder / part / given, "wb") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
    return f"{part}/{given}"


def drop_upload(token: str) -> None:
    if re.fullmatch(r"[0-9a-f]{32}", token):
        shutil.rmtree(settings.REALIA_VAR / UPLOADS / token, ignore_errors=True)


def queue_export(shelf: Shelf, org: Org, form: str) -> Job:
    """Queue an export. ValidationError for a form that does not exist."""
    if form not in FORMS:
        raise ValidationError(_("Choose CSV, SQLite or Parquet."))
    key = json.dumps([shelf.study.code if shelf.study else shelf.user.pk, org.pk, form])
    with transaction.atomic():
        audit("org.exported", by=shelf.user, study=shelf.study, target=org.hash, form=form)
        return enqueue(EXPORT, {"org": org.hash, "form": form}, study=shelf.study, by=shelf.user, once_key=f"org:{key}")


def delete_org(org: Org, *, by: User, study: Study | None) -> None:
    """Delete an Org with its file, staff's desks in it and its query instances. ValidationError if it was used."""
    about: dict[str, Any] = {"name": org.name, "records": sum(org.counts.values())}
    file = Path(settings.REALIA_VAR) / org.file
    try:
        with transaction.atomic():
            org.desks.filter(purpose=Purpose.STAFF).delete()
            audit("org.deleted", by=by, study=study, target=org.hash, **about)
            org.delete()
            transaction.on_commit(lambda: file.unlink(missing_ok=True))
    except (ProtectedError, IntegrityError) as error:
        raise ValidationError(_("Visits used this Org, so it stays.")) from error
