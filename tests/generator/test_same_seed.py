"""The same seed gives the same Org, wherever it is built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from study.generator.flows import write_world
from study.generator.world.draw import Draw
from study.generator.world.service import build_service

ROOT = Path(__file__).resolve().parents[2]
BUILD = """
import json, sys, tempfile
from pathlib import Path
import django
django.setup()
from study.generator.flows import write_world
from study.generator.world.asking import make_instances
from study.generator.world.service import build_service
from study.sandbox.engine.snapshot import open_snapshot
import hashlib
world = build_service(5, scale=0.3)
with tempfile.TemporaryDirectory() as folder:
    info = write_world(Path(folder) / "org.sqlite", world)
    records = make_instances(world, open_snapshot(info.path))
print(info.hash, hashlib.sha256(json.dumps(records, sort_keys=True).encode()).hexdigest())
"""


def built(**environment: str) -> str:
    """Org hash and hash of the instances, from a process of its own."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "study.settings", "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run([sys.executable, "-c", BUILD], env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def plain() -> str:
    return built(PYTHONHASHSEED="0", TZ="UTC")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "4711", "TZ": "Asia/Kolkata", "LC_ALL": "C"},
        {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX", "TZ": "America/St_Johns", "OMP_NUM_THREADS": "1"},
    ],
)
def test_org_and_instances_do_not_depend_on_the_machine(plain: str, environment: dict[str, str]) -> None:
    assert len(plain.split()) == 2
    assert built(**environment) == plain


def test_another_seed_is_another_org(tmp_path: Path) -> None:
    hashes = [write_world(tmp_path / f"{seed}.sqlite", build_service(seed, scale=0.2)).hash for seed in (1, 2)]
    assert hashes[0] != hashes[1]


def test_streams_are_apart_and_repeatable() -> None:
    first, again, other = Draw(3, "orders"), Draw(3, "orders"), Draw(3, "cases")
    numbers = [first.share() for _ in range(5)]
    assert numbers == [again.share() for _ in range(5)]
    assert numbers != [other.share() for _ in range(5)]


@pytest.mark.parametrize(("seed", "scale"), [(-1, 1.0), (7, 0.0), (7, 100.0)])
def test_seeds_and_scales_out_of_range_are_refused(seed: int, scale: float) -> None:
    with pytest.raises(ValueError):
        build_service(seed, scale=scale)


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(ValueError):
        Draw(1, "x").weighted(["a"], [0.0])
