"""One world, built once: building is pure, so every test may look at the same one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from study.generator.build import Built, build
from study.generator.company import make_members, make_parties, make_shared
from study.generator.flows import write_world
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.scaling import shares
from study.generator.groundwork.world_file import read_plan
from study.generator.world.asking import make_instances
from study.generator.world.service import World, build_service
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, open_snapshot
from tests.generator.stand_in import StandIn


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


@pytest.fixture(scope="session")
def built_of() -> Callable[..., Built]:
    """``built_of("b2b", scale=0.1)``: a whole world in memory, made once for all tests that ask for the same."""
    made: dict[tuple[str, float, int], Built] = {}

    def built(world: str, scale: float = 0.1, *, seed: int = 7) -> Built:
        key = (world, scale, seed)
        if key not in made:
            made[key] = build(read_plan(world), seed, scale)
        return made[key]

    return built


@pytest.fixture(scope="session")
def branch_of() -> Callable[..., Branch]:
    """``branch_of("b2b", scale=0.1)``: a branch with shared things, members and parties; the rest is for the test.

    ``seed``, ``number`` and ingredient switches (``causes=False``) may be given too. Each call makes a new one.
    """

    def made(world: str, scale: float = 0.1, *, seed: int = 7, number: int = 0, **switches: bool) -> Branch:
        plan = read_plan(world)
        plan = replace(
            plan,
            material=StandIn(plan.material, dict(plan.counts)),
            ingredients=replace(plan.ingredients, **switches),
        )
        counts = shares(plan, scale)[0]
        branch = Branch(plan, make_shared(plan, seed, counts), seed, number, counts)
        make_members(branch)
        make_parties(branch)
        return branch

    return made
