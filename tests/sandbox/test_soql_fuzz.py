"""Any text gets an answer or a SoqlError: nothing else leaves run_soql and run_sosl."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.soql import SoqlError, SoqlResult, SoslResult, is_sosl, run_soql, run_sosl
from tests.sandbox.small_org import TODAY, small_snapshot
from tests.sandbox.test_soql_differential import COUNTS, PAIRS
from tests.sandbox.test_soql_errors import CODED, FOUND, MALFORMED

VALID = [soql for soql, _ in PAIRS + COUNTS] + [
    "SELECT Id, (SELECT Id FROM Cases WHERE Status = 'New' LIMIT 2) FROM Account WHERE Name LIKE 'a%' FOR VIEW",
    'FIND {tent AND (red OR "sky blue") AND NOT te?t*} IN NAME FIELDS '
    "RETURNING Case(Id WHERE Status = 'x' LIMIT 3) LIMIT 9",
]
BROKEN = [one.replace("^", "", 1) for one in MALFORMED] + [one.replace("^", "", 1) for _, one in CODED + FOUND]
PIECES = [
    "SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "LIKE", "GROUP BY", "HAVING", "ORDER BY", "NULLS LAST",
    "LIMIT", "OFFSET", "(", ")", ",", "=", "!=", "<", "'", "\\", "%", "_", "''", "'%'", "null", "true", "COUNT()",
    "COUNT(Id)", "MAX(CreatedDate)", "CALENDAR_YEAR(CreatedDate)", "Case", "Account", "Id", "Account.Name", "Status",
    "5", "-1", "1e308", "2024-02-29", "2024-02-29T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31",
    "9999-12-31T23:59:59-14:00", "LAST_N_DAYS:7", "LAST_N_YEARS:9999999", "N_MONTHS_AGO:1", "TODAY", "FIND",
    "{a*b}", "RETURNING", "FIELDS(ALL)",
    "\0", "\ud800", "é", "\u2028", "🙂", "{", "}", "*", "?", "--", ";", "\n", "expr0", ":x", "(SELECT Id FROM Cases)",
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("fuzz")))


def assert_answered_or_refused(snapshot: Snapshot, text: str, after: str | None = None) -> None:
    """Answers or refuses; a refusal has a code, a sentence and a place inside the text."""
    try:
        if is_sosl(text):
            found = run_sosl(snapshot, text, TODAY)
            assert isinstance(found, SoslResult)
        else:
            result = run_soql(snapshot, text, TODAY, after=after)
            assert isinstance(result, SoqlResult)
            assert result.done or result.next
            assert all(len(row) == len(result.columns) == len(result.types) for row in result.rows)
            result.spec.to_json().encode()
    except SoqlError as error:
        refusal = error
    else:
        return
    assert refusal.code.isupper()
    assert refusal.message
    assert refusal.line is None or 1 <= refusal.line <= text.count("\n") + 1


FUZZ = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), database=None)


@FUZZ
@given(
    text=st.one_of(
        st.text(max_size=80), st.text(max_size=80).map("SELECT {}".format), st.text().map("FIND {{{}}}".format)
    )
)
def test_any_text_is_answered_or_refused(snapshot: Snapshot, text: str) -> None:
    assert_answered_or_refused(snapshot, text)


@FUZZ
@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=14),
    start=st.sampled_from(["", "SELECT Id FROM Case WHERE ", "SELECT ", "FIND "]),
)
def test_any_row_of_words_is_answered_or_refused(snapshot: Snapshot, pieces: list[str], start: str) -> None:
    assert_answered_or_refused(snapshot, start + " ".join(pieces))


@FUZZ
@given(data=st.data())
def test_a_damaged_query_is_answered_or_refused(snapshot: Snapshot, data: st.DataObject) -> None:
    """Valid queries with a piece taken out, doubled, or put in."""
    text = data.draw(st.sampled_from(VALID + BROKEN))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        between = data.draw(st.one_of(st.sampled_from([*PIECES, "", text[start:end] * 2]), st.text(max_size=4)))
        text = text[:start] + between + text[end:]
    assert_answered_or_refused(snapshot, text)


@FUZZ
@given(after=st.text(max_size=60), text=st.sampled_from(VALID))
def test_any_locator_is_answered_or_refused(snapshot: Snapshot, after: str, text: str) -> None:
    assert_answered_or_refused(snapshot, text, after)


@FUZZ
@given(inside=st.text(max_size=40), op=st.sampled_from(["=", "!=", "LIKE", "<", ">="]))
@example(inside="\0", op="<")
def test_any_quoted_text_is_a_value(snapshot: Snapshot, inside: str, op: str) -> None:
    """P-45: once its quotes and backslashes are escaped, a text is a value and nothing else."""
    quoted = inside.replace("\\", "\\\\").replace("'", "\\'")
    try:
        run_soql(snapshot, f"SELECT Id FROM Contact WHERE LastName {op} '{quoted}'", TODAY)
    except SoqlError as error:
        # Only an empty text is refused: it has no order.
        refused = error.message
    else:
        return
    assert "null" in refused
    assert not inside.replace("\0", "")
