"""Taking an Org in: what a path holds becomes a snapshot and an Org of this installation. Command and job call this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from django.db import transaction

from study.accounts.audit import audit
from study.accounts.models import Study
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.snapshot import SnapshotInfo, write_snapshot
from study.sandbox.engine.workshop import workshop
from study.sandbox.exchange.archives import unpacked
from study.sandbox.exchange.layout_file import apply_layout, read_layout
from study.sandbox.exchange.org_files import OrgInput, read_org
from study.sandbox.models import Org, StudyOrg
from study.sandbox.orgs import orgs_folder, register_org

Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Wish:
    """What is to be taken in, and how."""

    path: Path
    name: str
    schema: Path | None = None
    layout: Path | None = None
    zone: str = ""
    company: str = ""
    strict: bool = False


@dataclass(frozen=True)
class Stored:
    """The Org that a content became, or already was (then ``new`` is false)."""

    org: Org
    info: SnapshotInfo
    new: bool


class Refused(SnapshotError):
    """There are problems, and --strict says to load nothing then."""


def take_in(
    wish: Wish,
    *,
    study: Study | None = None,
    progress: Progress | None = None,
    heard: Callable[[OrgInput], None] = lambda given: None,
) -> tuple[Stored, OrgInput]:
    """Read, convert, write and register. ``heard`` gets what was read before anything is written.

    SnapshotError where it cannot be done; nothing is left behind then.
    """
    layout = read_layout(wish.layout) if wish.layout else None
    with unpacked(wish.path) as path:
        given = read_org(path, wish.schema, zone=wish.zone, company=wish.company, progress=progress)
        if layout is not None:
            given = _verified(given)
            given.loaded.registry = apply_layout(given.loaded.registry, layout)
        heard(given)
        if wish.strict and given.loaded.problems:
            raise Refused("nothing was loaded (--strict).")
        given = replace(given, about={"source": wish.path.name} | given.about)
        return store(given, wish.name, progress, study), given


def _verified(given: OrgInput) -> OrgInput:
    """The same, its content checked against the hash it claims: refined, it will come to another."""
    if given.hash is None:
        return given
    with workshop(orgs_folder()) as folder:
        info = write_snapshot(folder / "org.sqlite", given.loaded.registry, given.loaded.tables, today=given.today)
    _same(given, info)
    return replace(given, hash=None)


def _same(given: OrgInput, info: SnapshotInfo) -> None:
    if given.hash not in (None, info.hash):
        raise SnapshotError(
            f"The file says it is Org {given.hash}, but its content comes to {info.hash}. Nothing was loaded."
        )


def store(given: OrgInput, name: str, progress: Progress | None = None, study: Study | None = None) -> Stored:
    """Write what was read as a snapshot and register it. SnapshotError if it is not what it says it is.

    Row and study come in one transaction: nobody else sees the Org of a study for a moment.
    """
    loaded = given.loaded
    records = sum(len(rows) for rows in loaded.tables.values())
    with workshop(orgs_folder()) as folder:
        beside = folder / "org.sqlite"
        info = write_snapshot(
            beside,
            loaded.registry,
            loaded.tables,
            today=given.today,
            extra=given.about,
            progress=progress,
            records=records,
        )
        _same(given, info)
        with transaction.atomic():
            new = not Org.objects.filter(hash=info.hash).exists()
            org = register_org(info, name)
            _give(org, study, new=new)
        return Stored(org, info, new)


def _give(org: Org, study: Study | None, *, new: bool) -> None:
    """A new Org belongs to the study that brought it. One that is everybody's stays so; one of others is shared,
    since whoever holds its whole content has nothing left to learn from it."""
    if study and (new or org.study_orgs.exists()):
        StudyOrg.objects.get_or_create(org=org, study=study)
    audit("org.loaded", by=None, study=study, target=org.hash, new=new)


def study_named(code: str | None) -> Study | None:
    """The study a command names; none where it names none. SnapshotError for a code that is none."""
    study = Study.objects.filter(code=code).first() if code else None
    if code and study is None:
        raise SnapshotError(f"There is no study {code}.")
    return study
