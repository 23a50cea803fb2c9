"""The comparison of times runs, compares like with like, and its goals can be missed."""

from __future__ import annotations

from pathlib import Path

import bench_analysis
import numpy as np
import pytest
from bench_analysis import Line, measured, ratings

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"


def test_every_line_is_measured_on_a_small_study() -> None:
    lines = list(measured(quick=True, sizes=[(12, 5)], replicates=200))
    kinds = [line.name.split(",")[0] for line in lines]
    assert kinds == ["alpha", "AC2", "alpha with its jackknife", "bootstrap", "bootstrap", "bootstrap"]
    assert all(line.own > 0 and line.other > 0 for line in lines)
    # Alpha, its standard error and AC2 are the same numbers; limits of the bootstrap are drawn.
    assert [line.apart for line in lines[:3]] == pytest.approx([0, 0, 0], abs=1e-9)
    assert max(line.apart for line in lines) < 0.1


def test_the_loops_are_the_same_statistics() -> None:
    scores = ratings(15, 6)
    m = np.isfinite(scores).astype(float)
    y = (scores >= 4).astype(float)
    own = bench_analysis.own_bootstrap(y, m, 2000)
    assert bench_analysis.own_joint_bootstrap(y, m, 2000) == pytest.approx(own)
    assert bench_analysis.loop_over_frames(y, m, 400) == pytest.approx(own, abs=0.03)


def test_a_missed_goal_ends_with_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    good, slow = Line("a", "b", 1e-3, 2e-3, goal=1.0), Line("a", "b", 3e-3, 2e-3, goal=1.0)
    differs = Line("a", "b", 1e-3, 2e-3, apart=0.5)
    for lines, code in (([good], 0), ([good, slow], 1), ([differs], 1)):
        monkeypatch.setattr(bench_analysis, "measured", lambda quick, lines=lines: lines)
        assert bench_analysis.main(["--quick"]) == code
    said = capsys.readouterr().out
    assert "2.0 times as fast  goal met" in said
    assert "goal MISSED" in said
    assert "differ by 0.5000" in said


def test_make_runs_it() -> None:
    text = MAKEFILE.read_text(encoding="utf-8")
    assert "tests/analysis/bench_analysis.py $(if $(QUICK),--quick)" in text
    assert "make bench-analysis" in text
