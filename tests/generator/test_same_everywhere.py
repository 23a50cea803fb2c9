"""The same seed gives the same Org and the same truth file, whatever the process, the machine and its cores."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from study.generator.groundwork.draw import Draw

ROOT = Path(__file__).resolve().parents[2]


def built(*arguments: str, **environment: str) -> list[str]:
    """World, hash of the Org and hash of the truth file on each line."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "study.settings", "PYTHONPATH": str(ROOT), **environment}
    script = str(Path(__file__).with_name("small_build.py"))
    done = subprocess.run(
        [sys.executable, script, *arguments], env=env, cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def plain() -> list[str]:
    return built("1", PYTHONHASHSEED="0", TZ="UTC")


@pytest.mark.parametrize(
    ("cores", "environment"),
    [
        ("2", {"PYTHONHASHSEED": "4711", "TZ": "Asia/Kolkata", "LC_ALL": "C"}),
        (
            "1",
            {
                "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX", "TZ": "America/St_Johns",
                "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "0",
            },
        ),
    ],
)  # fmt: skip
def test_one_hash_everywhere(plain: list[str], cores: str, environment: dict[str, str]) -> None:
    assert [line.rsplit(" ", 2)[0] for line in plain] == [
        "service", "service x3", "b2b", "b2b x3", "b2c", "b2c x3",
    ]  # fmt: skip
    assert len({line.split()[-1] for line in plain}) == 6
    assert built(cores, **environment) == plain


def test_an_order_that_depends_on_the_process_is_noticed() -> None:
    assert built("1", "planted", PYTHONHASHSEED="1") != built("1", "planted", PYTHONHASHSEED="2")


def test_streams_are_apart_and_repeatable() -> None:
    first, again, other = Draw(3, "orders"), Draw(3, "orders"), Draw(3, "cases")
    numbers = [first.share() for _ in range(5)]
    assert numbers == [again.share() for _ in range(5)]
    assert numbers != [other.share() for _ in range(5)]


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(ValueError, match="every weight is zero"):
        Draw(1, "x").weighted(["a"], [0.0])
