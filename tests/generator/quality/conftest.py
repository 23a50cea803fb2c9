"""A small world that sells, built once, and an Org of it for each test that wants to change one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from study.generator.build import Built
from study.sandbox.engine.snapshot import Snapshot
from tests.generator.quality.small_org import SmallOrg


@pytest.fixture(scope="session")
def small_built(built_of: Callable[..., Built]) -> Built:
    return built_of("b2b", 0.1)


@pytest.fixture
def small(small_built: Built) -> SmallOrg:
    return SmallOrg.of(small_built)


@pytest.fixture(scope="session")
def sound(small_built: Built, tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Path]:
    """The undamaged Org and its truth file."""
    return SmallOrg.of(small_built).write(Path(tmp_path_factory.mktemp("sound")))
