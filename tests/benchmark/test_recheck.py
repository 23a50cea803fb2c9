"""The second way to every answer: apart from the first, and of one mind with it."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from study.benchmark.grading import answer_keys
from study.benchmark.recheck import answers as recheck_answers
from study.benchmark.recheck.answers import RECHECKS
from study.benchmark.recheck.tables import period, read_tables
from study.benchmark.rules import RULES, answer_by_rule
from study.benchmark.table_files import write_tables
from tests.benchmark.any_params import SELLING, SERVICE, any_params
from tests.benchmark.hand_deals import DealsOrg, random_deals
from tests.benchmark.hand_org import AGENTS, TODAY, TODAYS, HandOrg, random_org

FOLDER = Path(recheck_answers.__file__).parent


def test_nothing_in_the_recheck_knows_the_engine_or_the_rules() -> None:
    """Whatever is wrong there must not repeat itself here: only Python, pandas and its own two modules."""
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                names = [node.module or ""]
            for name in names:
                own = name == "study.benchmark.recheck" or name.startswith("study.benchmark.recheck.")
                assert own or name.split(".")[0] in {"__future__", "collections", "pathlib", "typing", "pandas"}, name


def test_every_rule_has_a_recheck() -> None:
    assert set(RECHECKS) == set(RULES)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("rules", "made"), [(SERVICE, random_org), (SELLING, random_deals)])
def test_rules_and_recheck_agree_on_random_orgs(
    rules: tuple[str, ...], made: Callable[[int], HandOrg | DealsOrg], seed: int, tmp_path: Path
) -> None:
    """P-46, P-49, P-51: ends of periods, both lengths of Ids and spellings mean the same on both ways."""
    snapshot = made(seed).snapshot(tmp_path)
    write_tables(snapshot, tmp_path)
    tables = read_tables(tmp_path)
    draw = random.Random(seed)
    kinds: Counter[tuple[str, str]] = Counter()
    for rule in rules:
        for _ in range(60):
            params, today = any_params(rule, draw), draw.choice(TODAYS)
            by_rule = answer_by_rule(rule, snapshot, params, today)
            if draw.random() < 0.2:
                params = {name: value[:15] if name.endswith("_id") else value for name, value in params.items()}
            by_recheck = RECHECKS[rule](tables, params, pd.Timestamp(today), snapshot.zone)
            same = answer_keys(by_rule.as_list(), rule) == answer_keys(by_recheck, rule)
            assert same, (rule, params, today, by_rule.as_list(), by_recheck, by_rule.steps[-1].rows)
            scores = getattr(by_recheck, "scores", {})
            assert sorted(by_rule.scores.values()) == pytest.approx(sorted(scores.values())), (rule, params, today)
            kinds[rule, "tie" if by_rule.tie else "none" if not by_rule.values else "one"] += 1
    # The comparison is worth something only where answers, shared places and empty results all occur.
    for rule in rules:
        assert kinds[rule, "one"] >= 5, (rule, kinds)
        assert kinds[rule, "one"] < 60, (rule, kinds)
    assert sum(n for (_rule, kind), n in kinds.items() if kind == "tie") >= 10


@pytest.mark.parametrize(
    ("window", "today", "first", "last"),
    [
        ({"past_months": 1}, "2024-03-31", "2024-02-29", "2024-03-31"),
        ({"past_quarters": 1}, "2024-05-31", "2024-02-29", "2024-05-31"),
        ({"past_weeks": 2}, "2024-03-07", "2024-02-22", "2024-03-07"),
        ({"past_days": 1}, "2024-03-01", "2024-02-29", "2024-03-01"),
        ({"month": "2024-02"}, "2024-03-31", "2024-02-01", "2024-02-29"),
        ({"quarter": "2023-Q4"}, "2024-03-31", "2023-10-01", "2023-12-31"),
        ({"season": "2023-winter"}, "2024-03-31", "2023-12-01", "2024-02-29"),
        ({"year": 2023}, "2024-03-31", "2023-01-01", "2023-12-31"),
    ],
)
def test_periods_of_the_recheck_on_paper(window: dict[str, Any], today: str, first: str, last: str) -> None:
    assert [str(day.date()) for day in period(window, pd.Timestamp(today))] == [first, last]


def test_an_unknown_period_is_refused() -> None:
    with pytest.raises(ValueError, match="moon"):
        period({"moon": 3}, pd.Timestamp(TODAY))


def test_agents_of_random_orgs_are_known() -> None:
    """The random Orgs are made of what the Org by hand holds: a new agent there must come here too."""
    owners = {row["OwnerId"] for row in random_org(0).tables["Case"]} - {None}
    assert len(owners) == len(AGENTS)
