"""Build a world and make it an Org of this installation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.db import transaction

from study.accounts.audit import audit
from study.benchmark.report import ImportReport
from study.generator.world.asking import make_instances, register_instances
from study.generator.shapes import build_shapes
from study.generator.world.material import company
from study.generator.world.service import World, build_service
from study.sandbox.engine.snapshot import SnapshotInfo, write_snapshot
from study.sandbox.engine.snapshot_write import Progress
from study.sandbox.engine.workshop import workshop
from study.sandbox.models import Org
from study.sandbox.orgs import orgs_folder, register_org, snapshot_for

VERSION = "1"
WORLDS: dict[str, Callable[..., World]] = {"service": build_service}


class NameTaken(ValueError):
    """Another Org has the name; the text says which."""


@dataclass(frozen=True)
class Generated:
    """The Org, what was written, and the instances stored (None if none were asked for)."""

    org: Org
    info: SnapshotInfo
    instances: ImportReport | None


def write_world(path: Path, world: World, *, name: str = "service", scale: float = 1.0) -> SnapshotInfo:
    """The world as a snapshot file. Its manifest names generator, seed, scale and the numpy that drew the numbers."""
    about = {"world": name, "scale": scale, "numpy": np.__version__, "company": company()[0]}
    return write_snapshot(
        path,
        world.registry,
        world.tables,
        today=world.today,
        generator=f"realia {VERSION}",
        seed=world.seed,
        extra=about,
    )


def _free(name: str) -> None:
    if taken := Org.objects.filter(name=name).first():
        raise NameTaken(
            f"{name} is the name of an Org already ({taken.hash[:12]}). Choose another name, or use it as it is."
        )


def write_shapes(path: Path, records: int, seed: int, progress: Progress | None = None) -> SnapshotInfo:
    """Rows of the right shape and skew without meaning, as a snapshot file."""
    shapes = build_shapes(records, seed)
    return write_snapshot(
        path,
        shapes.registry,
        shapes.tables,
        today=shapes.today,
        generator=f"realia {VERSION}",
        seed=seed,
        extra={"world": "shapes", "numpy": np.__version__},
        progress=progress,
        records=records,
    )


def generate_shapes(*, records: int, seed: int, name: str, progress: Progress | None = None) -> Generated:
    """Build, store and register an Org for measuring. NameTaken before any work is done; ValueError for too few."""
    _free(name)
    with workshop(orgs_folder()) as folder:
        info = write_shapes(folder / "org.sqlite", records, seed, progress)
        with transaction.atomic():
            org = register_org(info, name)
            audit("org.generated", by=None, target=org.name, world="shapes", seed=seed, records=records, hash=info.hash)
    return Generated(org, info, None)


def generate_org(world_name: str, *, seed: int, name: str, scale: float = 1.0, instances: bool = True) -> Generated:
    """Build, store and register. NameTaken before any work is done; ValueError for a scale or seed out of range."""
    _free(name)
    world = WORLDS[world_name](seed, scale=scale)
    with workshop(orgs_folder()) as folder:
        info = write_world(folder / "org.sqlite", world, name=world_name, scale=scale)
        # One transaction: an Org without the questions it was to have is not left behind.
        with transaction.atomic():
            org = register_org(info, name)
            audit("org.generated", by=None, target=org.name, world=world_name, seed=seed, scale=scale, hash=info.hash)
            if not instances:
                return Generated(org, info, None)
            records = make_instances(world, snapshot_for(org))
            source = f"org_generate {world_name} --seed {seed} --scale {scale:g}"
            return Generated(org, info, register_instances(org, records, source=source))
