"""Simulated experts: drawn from stated distributions, walking the real pages, noting what was acknowledged."""

from __future__ import annotations

import json
import random
import statistics
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from study.fieldwork.models import Attempt, Rating
from study.fieldwork.simulation import distributions, run
from study.fieldwork.simulation.experts import Expert, Rates, make_experts, object_effects, truth
from study.fieldwork.simulation.forms import item_answers, screener_answers
from study.fieldwork.simulation.hands import Unexpected
from study.fieldwork.simulation.http_client import Browser
from study.fieldwork.simulation.ledger import Ledger
from study.fieldwork.simulation.over_http import OverHttp
from study.fieldwork.simulation.run import CannotSimulate, Outcome, cohort_of, walk_all
from study.fieldwork.simulation.walk import COMPLETED, DROPPED, FAILED, SCREENED_OUT, Walk
from study.fieldwork.simulation.words import rationale
from study.fieldwork.simulation.wrong import wrong_answer
from study.people.models import Participant
from study.protocols.library import builtin_text
from study.protocols.parts import RATHER_NOT
from study.protocols.reading import parse
from study.sandbox.opened import snapshot_of

SURE = Rates(severity_sd=0, error=0, cannot_judge=0, skip=0, rather_not=0, aware=0)


# --- who they are


def test_the_same_seed_gives_the_same_people():
    one, again = (make_experts(5, 7, Rates(), screened_out=2) for _ in range(2))
    assert one == again
    assert [e.address for e in one] == [f"sim-{n:03d}@example.test" for n in range(1, 8)]
    assert [e.eligible for e in one] == [True] * 5 + [False] * 2
    assert [e.severity for e in one] != [e.severity for e in make_experts(5, 8, Rates())]


def test_a_decision_depends_on_nothing_that_came_before():
    """Threads and the order of pages must not change what anybody thinks."""
    one, again = (make_experts(1, 7, Rates())[0] for _ in range(2))
    for target in ("Order", "Account"):
        one.score(target, 0.2)
    assert one.score("Case", 0.2) == again.score("Case", 0.2)
    assert one.draw("card/Case").random() == again.draw("card/Case").random()
    assert one.draw("card/Case").random() != one.draw("card/Order").random()


def test_later_experts_do_not_depend_on_how_many_there_are():
    assert make_experts(20, 7, Rates())[:5] == make_experts(5, 7, Rates())


def test_severity_has_the_stated_spread():
    found = [e.severity for e in make_experts(2000, 7, Rates(severity_sd=0.7))]
    assert statistics.mean(found) == pytest.approx(0, abs=0.06)
    assert statistics.stdev(found) == pytest.approx(0.7, abs=0.04)
    assert {e.severity for e in make_experts(20, 7, SURE)} == {0}


def test_scores_follow_effect_and_severity():
    crowd = make_experts(500, 7, SURE)
    good, bad = ([e.score("Case", effect) for e in crowd] for effect in (2.5, -2.5))
    assert set(good + bad) <= {1, 2, 3, 4, 5}
    assert statistics.mean(good) > 4.5
    assert statistics.mean(bad) < 1.5
    # Effect 0, noise of SD 0.9: P(score >= 4) = P(noise > 0.45) = 1 - Phi(0.5) = 0.309.
    middling = [e.score("Case", 0) >= 4 for e in make_experts(4000, 7, SURE)]
    assert statistics.mean(middling) == pytest.approx(0.309, abs=0.025)


@pytest.mark.parametrize(("name", "about"), [("error", "error/1"), ("skip", "skip/1"), ("cannot_judge", "cannot/Org")])
def test_rates_are_met(name, about):
    crowd = make_experts(4000, 7, Rates(**{name: 0.2}))
    assert statistics.mean(e.happens(getattr(e.rates, name), about) for e in crowd) == pytest.approx(0.2, abs=0.02)


def test_dropout_is_met():
    assert statistics.mean(e.stays for e in make_experts(4000, 7, Rates(dropout=0.3))) == pytest.approx(0.7, abs=0.03)
    assert all(e.stays for e in make_experts(50, 7, Rates()))


def test_second_thoughts_are_a_point_away():
    """M16: first and last choice differ for some, so that both are worth keeping."""
    pairs = [(e.first_choice("Case", score), score) for e in make_experts(400, 7, Rates()) for score in (1, 3, 5)]
    changed = [abs(first - score) for first, score in pairs if first != score]
    assert set(changed) == {1}
    assert len(changed) / len(pairs) == pytest.approx(0.12, abs=0.03)
    assert {first for first, _ in pairs} <= {1, 2, 3, 4, 5}


@pytest.mark.parametrize("rates", [Rates(error=1.2), Rates(skip=-0.1), Rates(severity_sd=-1)])
def test_a_rate_that_is_none_is_refused(rates):
    with pytest.raises(ValueError, match="give"):
        make_experts(1, 7, rates)


def test_truth_holds_what_was_drawn_and_codes_only():
    experts = make_experts(2, 7, Rates(careless={"paster": 1}))
    effects = object_effects(["Org", "Case"], 7)
    told = json.dumps(truth(experts, effects, 7, Rates(), {experts[0].address: "P-AAAA"}))
    first = json.loads(told)["experts"][0]
    assert first["participant"] == "P-AAAA"
    for name in ("kind", "severity", "attention", "fluency", "gap", "aware", "coverage", "stop", "stays"):
        assert first[name] == getattr(experts[0], name)
    assert json.loads(told)["object_effects"] == effects
    assert json.loads(told)["distributions"]["thresholds"] == list(distributions.THRESHOLDS)
    assert "example.test" not in told


def test_effects_are_those_of_the_object_alone():
    assert object_effects(["Case"], 7)["Case"] == object_effects(["Case", "Account"], 7)["Case"]


# --- what they say


@pytest.fixture(scope="module")
def recommended():
    return parse(builtin_text("realia-hour"))


@pytest.mark.parametrize("eligible", [True, False])
def test_screener_answers_qualify_or_do_not(recommended, eligible):
    for number in range(1, 30):
        expert = Expert(number, 7, Rates(), eligible)
        form = screener_answers(recommended, expert)
        assert recommended.eligible(form) is eligible
        assert form == screener_answers(recommended, expert)


def test_nobody_claims_a_system_that_does_not_exist(recommended):
    flagged = {o.code for item in recommended.screener.items for o in item.options if o.flag == "overclaim"}
    assert flagged
    for number in range(60):
        assert not flagged & set(screener_answers(recommended, Expert(number, 7, Rates()))["S2"])


def test_item_answers_cover_every_item_and_some_would_rather_not_say(recommended):
    items = [item for module in recommended.modules_at("after_ratings") for item in module.items]
    forms = [item_answers(items, Expert(number, 7, Rates()), "closing") for number in range(80)]
    required = {item.id for item in items if item.required}
    assert all(required <= values.keys() for _, values in forms)
    assert any(RATHER_NOT in values.values() for _, values in forms)


@pytest.mark.parametrize("score", [1, 2, 3, 4, 5])
def test_a_rating_comes_with_a_reason(score):
    texts = [rationale(random.Random(n), score, "cases") for n in range(60)]
    assert all(texts)
    assert all(set(one) <= {"right", "off"} for one in texts)
    assert "{plural}" not in str(texts)
    assert len({str(one) for one in texts}) > 20


def test_severe_scores_say_what_is_off_and_lenient_ones_what_is_right():
    def share(score, side):
        return statistics.mean(side in rationale(random.Random(n), score, "cases") for n in range(400))

    assert share(1, "off") > share(5, "off") + 0.5
    assert share(5, "right") > share(1, "right") + 0.5


# --- ledger and browser


def test_the_ledger_has_one_line_per_acknowledged_save(tmp_path):
    ledger = Ledger(tmp_path / "new" / "ledger.jsonl")
    ledger.note("P-AAAA", "rating/Org", {"choice": "4", "reason": ""}, 2)
    ledger.note("P-AAAA", "closing/trouble", "line\u2028 one\nline two")
    first, second = [json.loads(line) for line in ledger.path.read_text(encoding="utf-8").split("\n") if line]
    assert (first["participant"], first["field"], first["version"]) == ("P-AAAA", "rating/Org", 2)
    assert second["version"] is None
    assert second["value"] == "line\u2028 one\nline two"
    assert ledger.lines == 2


def test_a_closed_browser_asks_nothing():
    browser = Browser("http://127.0.0.1:9")
    browser.closed = True
    with pytest.raises(Unexpected, match="closed"):
        browser.get("/")


def test_a_server_that_is_gone_is_a_problem_of_that_expert_alone(tmp_path):
    walks = [
        Walk(one, OverHttp(Browser("http://127.0.0.1:9"), "/i/x/"), Ledger(tmp_path / "l"), {})
        for one in make_experts(3, 7, Rates())
    ]
    outcome = Outcome()
    walk_all(walks, outcome, lambda line: None)
    assert outcome.ends == {FAILED: 3}
    assert all("URLError" in problem for problem in outcome.problems)


def test_the_closing_line_names_every_end():
    outcome = Outcome({COMPLETED: 20, SCREENED_OUT: 3}, saves=784, seconds=41.6)
    assert outcome.line() == ("completed 20, screened out 3, dropped 0, failed 0, acknowledged saves 784, seconds 42")


# --- the walk; over HTTP it is taken in test_simulation_flows


def read_ledger(path):
    """Outcome of each attempt, choice and version of each rating, as last acknowledged."""
    said = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        row = json.loads(line) if line else {"field": "", "value": None}
        kind, _, name = row["field"].partition("/")
        if kind == "attempt":
            said[row["field"]] = row["value"]["outcome"]
        elif kind == "rating":
            said |= {name: row["value"]["choice"], f"{name} version": row["version"]}
    return said


def test_wrong_skipped_and_not_judged_at_the_stated_rates(cohort, settings):
    rates = Rates(error=1, skip=0, cannot_judge=1)
    outcome = run.simulate(cohort.study, cohort, count=1, seed=7, rates=rates, screened_out=1, through="flows")
    assert (outcome.ends, outcome.problems) == ({COMPLETED: 1, SCREENED_OUT: 1}, [])
    assert not Attempt.objects.filter(correct=True).exists()
    said = read_ledger(settings.REALIA_VAR / f"ledger-{cohort.study.code}.jsonl")
    assert (
        set(Rating.objects.values_list("final", flat=True))
        == {"cannot_judge"}
        == {value for name, value in said.items() if "/" not in name and " " not in name}
    )
    assert not Rating.objects.filter(cannot_judge_reason="").exists()
    assert Participant.objects.get(end="screened_out").simulated
    again = run.simulate(cohort.study, cohort, count=1, seed=7, rates=Rates(dropout=1), through="flows")
    assert again.ends == {DROPPED: 1}
    told = json.loads((settings.REALIA_VAR / f"truth-{cohort.study.code}.json").read_text())
    assert [len(one["experts"]) for one in (told, *told["earlier"])] == [1, 2]
    codes = {person["participant"] for one in (told, *told["earlier"]) for person in one["experts"]}
    assert codes == set(Participant.objects.values_list("code", flat=True))


def test_wrong_answers_are_of_the_right_kind_and_wrong(cohort, hour):
    hour.orient()
    hour.open_question()
    snapshot = snapshot_of(hour.visit.org)
    for attempt in hour.visit.attempts.select_related("place__instance__org"):
        instance = attempt.place.instance
        for n in range(10):
            (given,) = wrong_answer(attempt, random.Random(n))
            assert given not in instance.answer
            if instance.answer_type == "record":
                assert snapshot.names([given])


# --- the command


def test_a_study_that_people_have_joined_is_left_alone(cohort, hour):
    with pytest.raises(CannotSimulate, match="Simulated experts need a study of their own"):
        cohort_of(cohort.study, "")


def test_a_study_without_an_open_cohort_says_how_to_open_one(study):
    with pytest.raises(CannotSimulate, match="cohort_open"):
        cohort_of(study, "north")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "no study 'nothing'"),
        (["spring", "--experts", "11"], "room for 10"),
        (["spring", "--error-rate", "1.5"], "give a share between 0 and 1"),
    ],
)
def test_the_command_says_what_is_wrong(cohort, words, said):
    with pytest.raises(CommandError, match=said):
        call_command("simulate", *words, stdout=StringIO())
    assert not Participant.objects.exists()


def test_the_newest_letter_counts(tmp_path):
    letter = "To: sim-001@example.test\nSubject: Hello\n\nhttp://127.0.0.1/i/{}/\n"
    between = run.BETWEEN.decode()
    (tmp_path / "a.log").write_text(letter.format("old") + between + letter.format("older").replace("001", "002"))
    (tmp_path / "b.log").write_text(letter.format("new") + between)
    assert run.links_in(tmp_path) == {"sim-001@example.test": "/i/new/", "sim-002@example.test": "/i/older/"}
