"""Flags: each rule meets whom it should and nobody else, no rule looks at how high one rated, and nobody is moved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import bundles
import carebench
import numpy as np
import pytest

from analysis.bundle import read_bundle
from analysis.care.flags import checked, flags, with_strong_flags
from analysis.care.rules import BY_CODE, RULES
from analysis.care.software_only import software_only
from analysis.context import context_of
from analysis.plain import read_plain

Tables = bundles.Tables
FIRST = "P-0000.1"


def of_rule(made: Tables, rule: str, **protocol: Any) -> set[str]:
    """Participants whom a rule meets."""
    found = flags(carebench.context(carebench.bundle(made, **protocol)))
    return set(found.loc[found["rule"] == rule, "participant"])


def own(made: Tables, table: str) -> list[dict[str, Any]]:
    return [row for row in made[table] if row["visit"] == FIRST]


def objects(made: Tables) -> list[dict[str, Any]]:
    return [row for row in own(made, "ratings") if row["kind"] == "object"]


def unseen(made: Tables) -> None:
    objects(made)[0].update(opened_work=0, opened_look=0, unopened=True)


def fast(made: Tables) -> None:
    for row in objects(made)[:2]:
        row["final_at"] = row["shown_at"] + timedelta(seconds=1.5)


def short(made: Tables) -> None:
    for row in own(made, "rationales")[:2]:
        row["text"] = "fine, quite fine"


def few(made: Tables) -> None:
    for row in own(made, "rationales")[:2]:
        row["text"] = "realistic realistic realistic"


def twice(made: Tables) -> None:
    one, two, *_ = own(made, "rationales")
    two["text"] = one["text"].upper() + "!"


def as_others(made: Tables) -> None:
    theirs = [row for row in made["rationales"] if row["visit"] != FIRST]
    for mine, other in zip(own(made, "rationales")[:2], theirs[::5], strict=False):
        mine["text"] = other["text"]


def copied(made: Tables) -> None:
    own(made, "rationales")[0]["text"] = "how realistic is the company and its records"


def pasted(made: Tables) -> None:
    for row in made["rationales"]:
        row["pasted_share"] = 0.9 if row["visit"] == FIRST else 0.1


def no_time(made: Tables) -> None:
    own(made, "attempts")[0]["active_s"] = 0


def no_records(made: Tables) -> None:
    for row in made["attempts"]:
        row.update(records_opened=0 if row["visit"] == FIRST else 2, searches=0, filters=0)


def rather_not_use(made: Tables) -> None:
    made["closing"] = [
        {"visit": row["id"], "item": "use_answers", "value": "no" if row["id"] == FIRST else "yes"}
        for row in made["visits"]
    ]


def overclaims(made: Tables) -> None:
    for row in made["participants"]:
        row["screener"] = {"S2": ["real", "corvane"] if row["code"] == "P-0000" else ["real"]}


def knows_nothing(made: Tables) -> None:
    for row in made["participants"]:
        row["screener"] = {"S6a": "bad", "S6b": "bad" if row["code"] == "P-0000" else "good"}


def knows_somebody(made: Tables) -> None:
    for row in made["participants"]:
        row["knows_other"] = "know_someone" if row["code"] == "P-0000" else "no"


def quick(made: Tables) -> None:
    for row in made["visits"]:
        row["work_active_s"] = 300 if row["id"] == FIRST else 1500
        start = min(one["shown_at"] for one in made["ratings"] if one["visit"] == row["id"] and one["kind"] == "org")
        row["locked_at"] = start + timedelta(seconds=300 if row["id"] == FIRST else 900)


CASES: list[tuple[str, Callable[[Tables], None]]] = [
    ("rated_unseen", unseen), ("fast_pages", fast), ("short_reasons", short), ("few_words", few),
    ("same_text", twice), ("same_as_others", as_others), ("copied_prompt", copied), ("pasted", pasted),
    ("task_unopened", no_time), ("no_records", no_records), ("do_not_use", rather_not_use), ("overclaim", overclaims),
    ("knowledge", knows_nothing), ("knows_other", knows_somebody), ("speed", quick),
]  # fmt: skip


@pytest.fixture(scope="module")
def careful() -> set[str]:
    """Rules that meet somebody among eight careful people."""
    return set(flags(carebench.context(carebench.bundle()))["rule"])


@pytest.mark.parametrize(("rule", "change"), CASES, ids=[name for name, _ in CASES])
def test_a_rule_meets_whom_it_is_about(careful: set[str], rule: str, change: Callable[[Tables], None]) -> None:
    """Without the change the rule meets nobody; with it, the one person."""
    assert rule not in careful
    made = carebench.tables()
    change(made)
    met = of_rule(made, rule)
    # Whose text it was is not known, so both who share one are met.
    assert met == {"P-0000"} or (rule == "same_as_others" and "P-0000" in met)


def test_straightliners_and_scattered_answers() -> None:
    """Eight objects: one person gives 4 throughout, one only 1 and 5, the others between 2 and 4."""
    made = carebench.tables()
    template = made["ratings"][1]
    made["ratings"] = []
    for number, visit in enumerate(row["id"] for row in made["visits"]):
        middling = np.random.default_rng(number).integers(2, 5, 8)
        for place in range(8):
            score = 4 if number == 0 else (1, 5)[place % 2] if number == 1 else int(middling[place])
            row = template | {"visit": visit, "target": f"Object{place}", "position": place, "first": score}
            made["ratings"].append(row | {"final": score})
    assert of_rule(made, "longest_run") == {"P-0000"}
    assert of_rule(made, "spread") == {"P-0000", "P-0001"}
    assert of_rule(made, "unusual") == {"P-0001"}


def test_who_rates_against_all_others_is_met() -> None:
    made = carebench.tables()
    for row in made["ratings"]:
        place = ("Org", *bundles.OBJECTS).index(row["target"])
        row["first"] = row["final"] = (6 - place if row["visit"] == FIRST else place + 1) if place else 3
    assert of_rule(made, "against_others") == {"P-0000"}


def test_anchors_at_random_are_strong_with_six_of_either_and_soft_with_three() -> None:
    """The first rater gives every card the same; all others see the faults."""

    def score(rater: int, card: int, grade: int) -> int:
        return 4 if rater == 0 else 5 - grade

    six = carebench.with_anchors(carebench.tables(), score)
    assert of_rule(six, "anchors") == {"P-0000"}
    three = carebench.with_anchors(carebench.tables(), score, each=3)
    assert of_rule(three, "anchors_few") == {"P-0000"}
    assert of_rule(three, "anchors") == set()
    assert BY_CODE["anchors"].strength == "strong"
    assert BY_CODE["anchors_few"].strength == "soft"


def test_rated_unseen_is_a_flag_only_where_there_are_looks() -> None:
    made = carebench.tables()
    unseen(made)
    assert of_rule(made, "rated_unseen") == {"P-0000"}
    assert of_rule(made, "rated_unseen", rating={"layout": "matrix"}) == set()


def test_the_orgs_own_card_has_no_look_and_is_never_unseen() -> None:
    """Nothing is offered to look at on the Org's card; that no record was opened before it says nothing of care."""
    made = carebench.tables()
    for row in made["ratings"]:
        if row["kind"] == "org":
            row.update(opened_work=0, opened_look=0, unopened=True)
    assert of_rule(made, "rated_unseen") == set()


def test_one_box_is_too_few_to_be_mostly_short() -> None:
    made = carebench.tables()
    made["rationales"] = [row for row in made["rationales"] if row["visit"] != FIRST or row["target"] == "Org"]
    own(made, "rationales")[0]["text"] = "fine"
    assert not {"short_reasons", "few_words"} & set(flags(carebench.context(carebench.bundle(made)))["rule"])


def test_the_same_strong_flag_at_two_visits_is_one() -> None:
    made = carebench.tables()
    unseen(made)
    again = FIRST.replace(".1", ".2")
    made["visits"].append({**made["visits"][0], "id": again, "period": 2})
    made["ratings"] += [{**row, "visit": again} for row in own(made, "ratings")]
    context = carebench.context(carebench.bundle(made))
    found = flags(context)
    assert set(found.loc[found["rule"] == "rated_unseen", "visit"]) == {FIRST, again}
    assert with_strong_flags(context) == set()


def test_only_three_rules_are_strong() -> None:
    """M22: everything else is soft."""
    strong = {rule.code for rule in RULES if rule.strength == "strong"}
    assert strong == {"rated_unseen", "fast_pages", "anchors"}


def test_two_different_strong_flags_are_needed() -> None:
    made = carebench.tables()
    unseen(made)
    one = carebench.context(carebench.bundle(made))
    assert with_strong_flags(one) == set()
    fast(made)
    two = carebench.context(carebench.bundle(made))
    assert with_strong_flags(two) == {"P-0000"}


def spoilt() -> Any:
    """A bundle in which many rules meet somebody, with cards that raters answered more or less at random."""
    made = carebench.with_anchors(carebench.tables(12), lambda rater, card, grade: (rater * 5 + card * 3) % 5 + 1)
    for _, change in CASES:
        change(made)
    return carebench.bundle(made)


def test_mirroring_the_ratings_changes_no_flag() -> None:
    """No rule looks at how high the Org and its objects were rated: 1 and 5, 2 and 4 change round, the flags stay."""
    given = spoilt()
    before = flags(carebench.context(given))
    after = flags(carebench.context(carebench.mirrored(given, ("org", "object"))))
    assert len(before) > 20
    assert after.drop(columns="strength").equals(before.drop(columns="strength"))


def test_mirroring_the_cards_too_can_change_the_anchors_and_nothing_else() -> None:
    """That a card is broken is known, so which side of it was rated lower has to be looked at."""
    given = spoilt()
    before = flags(carebench.context(given))
    after = flags(carebench.context(carebench.mirrored(given, ("org", "object", "record"))))
    assert not after.equals(before)
    others = [frame[frame["rule"] != "anchors"].reset_index(drop=True) for frame in (before, after)]
    assert others[0].equals(others[1])


def test_flags_move_nobody_out_of_a_set() -> None:
    given = spoilt()
    context = carebench.context(given)
    assert len(flags(context))
    assert context.groups[0].ratings["analysed"].all()
    assert given.frames["participants"]["analysed"].all()


def test_flags_are_worked_out_once_per_context() -> None:
    given = spoilt()
    context = carebench.context(given)
    assert checked(context) is checked(context)
    assert checked(context) is not checked(carebench.context(given))


def test_the_frame_has_the_promised_columns() -> None:
    found = flags(carebench.context(spoilt()))
    assert list(found) == ["participant", "visit", "rule", "strength"]
    assert set(found["strength"]) == {"strong", "soft"}
    assert (found.loc[found["rule"] == "overclaim", "visit"] == "").all()
    assert (found.loc[found["rule"] == "fast_pages", "visit"] == FIRST).all()


@pytest.mark.parametrize("experts", [0, 1, 2])
def test_few_people_have_flags_too_p30(experts: int) -> None:
    """P-30: nobody, one and two; nothing is compared where there is nobody to compare with."""
    found = flags(carebench.context(carebench.bundle(bundles.tables(experts))))
    assert list(found) == ["participant", "visit", "rule", "strength"]


def test_a_plain_file_and_a_blind_bundle_have_few_flags_or_none(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("participant,object,rating\na,Org,4\na,Case,5\nb,Case,2\n")
    assert flags(context_of(read_plain(path))).empty
    made = carebench.tables()
    made["ratings"], made["rationales"] = [], []
    bundles.write(tmp_path / "blind", made, blind=True)
    assert flags(context_of(read_bundle(tmp_path / "blind"))).empty


def tagged(made: Tables, target: str, *tags: list[str] | None) -> None:
    for tag in tags:
        made["rationales"].append(
            {"visit": FIRST, "kind": "object", "target": target, "side": "off", "text": "slow", "tags": tag}
        )


def test_software_only_takes_low_ratings_whose_every_off_note_is_about_the_software() -> None:
    """Account: software alone. Case: software and texts. Order: software, but rated 4."""
    made = carebench.tables()
    for row, score in zip(objects(made), (3, 2, 4), strict=True):
        row["first"] = row["final"] = score
    for target, *tags in (
        ("Account", ["software"]), ("Case", ["software", "texts"]), ("Order", ["software"]),
    ):  # fmt: skip
        tagged(made, target, *tags)
    given = carebench.bundle(made)
    assert software_only(given) == {(FIRST, "object", "Account")}


@pytest.mark.parametrize("tags", [None, [], ["texts"]])
def test_an_off_note_not_sorted_to_the_software_keeps_the_rating(tags: list[str] | None) -> None:
    made = carebench.tables()
    objects(made)[0].update(first=1, final=1)
    tagged(made, "Account", tags)
    assert software_only(carebench.bundle(made)) == set()


def test_two_ratings_of_one_object_stop_the_work_instead_of_being_averaged_p28() -> None:
    """P-28: 2 and 5 of one person for one object are a fault to be seen, not a 3.5 to correlate with."""
    made = carebench.tables()
    made["ratings"].append(objects(made)[0] | {"dimension": "", "final": 2, "first": 2})
    with pytest.raises(ValueError, match="duplicate"):
        flags(carebench.context(carebench.bundle(made)))
