"""One world, built once: building is pure, so every test may look at the same one."""

from __future__ import annotations

from pathlib import Path

import pytest

from study.generator.flows import write_world
from study.generator.world.asking import make_instances
from study.generator.world.service import World, build_service
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, open_snapshot


@pytest.fixture(scope="session")
def world() -> World:
    return build_service(7)


@pytest.fixture(scope="session")
def written(world: World, tmp_path_factory: pytest.TempPathFactory) -> SnapshotInfo:
    return write_world(Path(tmp_path_factory.mktemp("orgs")) / "demo.sqlite", world)


@pytest.fixture(scope="session")
def snapshot(written: SnapshotInfo) -> Snapshot:
    return open_snapshot(written.path)


@pytest.fixture(scope="session")
def instances(world: World, snapshot: Snapshot) -> list[dict]:
    return make_instances(world, snapshot)
