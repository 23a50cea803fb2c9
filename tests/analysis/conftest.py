"""Fixtures of the analysis tests: a small bundle on disk."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import bundles


@pytest.fixture
def bundle_dir(tmp_path: Path) -> Path:
    """A complete study of six."""
    folder = tmp_path / "bundle"
    bundles.write(folder)
    return folder
