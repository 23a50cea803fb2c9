"""Codes of the rationales: reading, what coders agree on, what counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analysis.agreement import NO_VARIATION, code_agreement, gwet_ac, jackknife, krippendorff_alpha, weighted_kappa
from analysis.agreement.coders import NO_COMMON
from analysis.bundle import BundleError
from analysis.coding import CodingError, read_codes, settle

NAN = float("nan")
HEAD = "coder,visit,kind,target,side,code\n"
KNOWN = [("v1", "object", "Case", "right"), ("v1", "object", "Case", "off"), ("v2", "org", "Org", "off")]


def written(folder: Path, lines: str, head: str = HEAD) -> Path:
    path = folder / "codes.csv"
    path.write_text(head + lines, encoding="utf-8")
    return path


def test_a_file_of_codes_is_read(tmp_path: Path) -> None:
    lines = "a,v1,object,Case,right,names\na,v1,object,Case,right,dates\nb,v1,object,Case,right,\n"
    coding = read_codes(written(tmp_path, lines), KNOWN)
    assert coding.coders == ("a", "b")
    assert coding.codes == ("dates", "names")
    assert coding.given["a"][KNOWN[0]] == {"dates", "names"}
    assert coding.given["b"][KNOWN[0]] == frozenset()
    assert coding.read_by_all() == (KNOWN[0],)


def test_columns_may_stand_in_any_order_and_a_guarded_cell_is_undone(tmp_path: Path) -> None:
    coding = read_codes(written(tmp_path, "'=names,a,off,Org,org,v2\n", "Code,coder,side,target,kind,visit\n"), KNOWN)
    assert coding.given["a"][KNOWN[2]] == {"=names"}


@pytest.mark.parametrize(
    ("head", "lines", "said"),
    [
        ("coder,visit,kind,target,side\n", "", "line 1: column code is missing"),
        ("coder,coder,visit,kind,target,side,code\n", "", "line 1: column coder stands twice"),
        (HEAD, "a,v1,object,Case,right\n", "line 2: 5 cells where the header has 6"),
        (HEAD, ",v1,object,Case,right,x\n", "line 2, coder: empty"),
        (HEAD, "a,v9,object,Case,right,x\n", "line 2: rationales.csv has no row v9, object, Case, right"),
        (HEAD, "a,v1,object,Case,right,x\na,v1,object,Case,right,x\n", "lines 2 and 3: a gives x to"),
        (HEAD, "a,v1,object,Case,right,x\na,v1,object,Case,right,\n", "line 3: a has both codes and an empty code"),
        ("", "", "is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, head: str, lines: str, said: str) -> None:
    with pytest.raises(CodingError, match=said) as problem:
        read_codes(written(tmp_path, lines, head), KNOWN)
    assert str(problem.value).startswith("codes.csv")


def test_no_file_is_bad_input(tmp_path: Path) -> None:
    """The command line refuses it as it refuses a bad bundle."""
    with pytest.raises(BundleError, match="can't be read"):
        read_codes(tmp_path / "none.csv")


def test_resolved_codes_win_and_elsewhere_what_all_gave(tmp_path: Path) -> None:
    lines = (
        "a,v1,object,Case,right,names\na,v1,object,Case,right,dates\nb,v1,object,Case,right,names\n"
        "a,v1,object,Case,off,links\nb,v1,object,Case,off,dates\nresolved,v1,object,Case,off,dates\n"
        "a,v2,org,Org,off,links\n"
    )
    found = settle(read_codes(written(tmp_path, lines), KNOWN))
    assert found.codes == {KNOWN[0]: {"names"}, KNOWN[1]: {"dates"}}
    assert (found.by_resolution, found.by_all, found.alone, found.disputed) == (1, 1, 1, 1)


def test_two_coders_have_kappa_ac1_and_alpha_over_participants() -> None:
    generator = np.random.default_rng(5)
    first = (generator.random(40) < 0.4).astype(float)
    second = np.where(generator.random(40) < 0.85, first, 1 - first)
    people = [f"p{number // 4}" for number in range(40)]
    counts, found = code_agreement([first, second], people)
    assert [one.coefficient for one in found] == ["Cohen's kappa", "Gwet's AC1", "Krippendorff's alpha"]
    both = np.array([first, second])
    expected = (
        weighted_kappa(first, second, (0, 1), "identity").value,
        gwet_ac(both, "identity", (0, 1)).value,
        krippendorff_alpha(both, "nominal", (0, 1)).value,
    )
    assert [one.value for one in found] == pytest.approx(list(expected))
    assert (counts.texts, counts.participants) == (40, 10)
    assert counts.percent == pytest.approx((first == second).mean())
    assert counts.prevalence == pytest.approx(both.mean())
    assert counts.all + counts.some + counts.none == 40
    without = [
        weighted_kappa(*np.delete(both, range(4 * one, 4 * one + 4), axis=1), (0, 1), "identity").value
        for one in range(10)
    ]
    interval = jackknife(found[0].value or 0.0, np.array(without, dtype=float), unit="participant")
    assert (found[0].low, found[0].high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_a_rare_code_has_low_kappa_and_a_high_ac1() -> None:
    """The prevalence paradox (Feinstein and Cicchetti 1990) with the code given in 10 %."""
    first, second = np.repeat([1, 1, 0, 0], [5, 5, 10, 80]), np.repeat([1, 0, 1, 0], [5, 5, 10, 80])
    _, (kappa, ac1, alpha) = code_agreement([first, second], [f"p{n % 20}" for n in range(100)])
    assert kappa.value == pytest.approx(0.318, abs=5e-4)
    assert ac1.value == pytest.approx(0.808, abs=5e-4)
    assert alpha.value == pytest.approx(0.318, abs=1e-3)


def test_three_coders_have_alpha_with_what_each_read() -> None:
    given = [[1, 0, 1, 0, NAN], [1, 0, 0, 0, 1], [NAN, 0, 1, 1, NAN]]
    counts, found = code_agreement(given, ["p", "p", "q", "q", "r"])
    assert [one.coefficient for one in found] == ["Krippendorff's alpha", "Gwet's AC1"]
    assert found[0].value == pytest.approx(krippendorff_alpha(np.array(given), "nominal", (0, 1)).value)
    assert (counts.texts, counts.participants, counts.by) == (4, 2, (2, 1, 2))


def test_a_code_nobody_or_everybody_gives_has_no_coefficient() -> None:
    """P-29: kappa and alpha are not defined, with 100 % beside; AC1 is 1 without an interval."""
    counts, (kappa, ac1, alpha) = code_agreement(np.zeros((2, 12)), [f"p{n // 2}" for n in range(12)])
    assert counts.percent == 1.0
    assert kappa.reason == alpha.reason == NO_VARIATION
    assert (ac1.value, ac1.low) == (1.0, None)
    assert "interval not estimable" in ac1.note


def test_one_coder_or_one_participant_is_too_little() -> None:
    """P-30."""
    assert code_agreement([[1, 0, 1]], ["p", "q", "r"])[1][0].reason == NO_COMMON
    assert code_agreement(np.zeros((2, 0)), [])[1][0].reason == NO_COMMON
    _, (kappa, *_) = code_agreement([[1, 0, 1, 0], [1, 0, 0, 0]], ["p"] * 4)
    assert kappa.value is not None
    assert "one participant" in kappa.note
    with pytest.raises(ValueError, match="one entry per text"):
        code_agreement([[1, 0], [1, 1]], ["p"])
