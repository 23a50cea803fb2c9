"""Cards after the lock: drawn once from the seed, without a way into the Org, saved, and never before (M5, M6)."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from study.assignment.readiness import study_problems
from study.fieldwork import anchors, cards
from study.fieldwork.models import CardSet, CardShown, Rating
from study.protocols.checks import check
from study.protocols.reading import parse
from study.results.frames import frames
from study.sandbox.orgs import snapshot_for
from tests.fieldwork.after import begin, make_control, module, to_the_lock, with_cards

pytestmark = pytest.mark.django_db


@pytest.fixture
def control(org):
    return make_control(org)


@pytest.fixture
def small_set(org):
    call_command("anchors_make", org.name, seed=3, name="small", verbosity=0)
    return CardSet.objects.get(name="small")


def test_cards_of_every_kind_from_the_first_to_the_code(study, org, control, small_set, ben, client):
    """One hour with all four: order and sides drawn once, every choice a row, what stands behind it never shown."""
    hour = to_the_lock(begin(study, ben, client, with_cards("anchors", "reference", "dossiers", "pairs")))
    assert hour.get("closing/")["Location"].endswith("/closing/anchors/")
    numbers = {"anchors": 6, "reference": 12, "dossiers": 6, "pairs": 2}
    told = Counter()
    for kind, number in numbers.items():
        assert hour.get(f"closing/{kind}/")["Location"].endswith(f"/closing/{kind}/1/")
        for n in range(1, number + 1):
            page = hour.get(f"closing/{kind}/{n}/")
            text = page.content.decode()
            main = text[text.index("<main") : text.index("</main>")]
            assert "checked" not in main, "nothing is preselected"
            assert "/crm/" not in main, "no way into an Org"
            assert f"Card {n} of {number}" in main
            for word in (r"\bcontrol\b", "shuffled", r"\bfault", r"\bgrade", org.hash, control.hash, "_is_not_"):
                assert not re.search(rf"{word}", main, re.IGNORECASE)
            last = hour.post(f"closing/{kind}/{n}/", {"choice": "2" if n % 2 else "cannot_judge"})
            assert last.status_code == 302
            told[kind] += 1
    assert last["Location"].endswith("/closing/")
    assert hour.get("closing/")["Location"].endswith("/closing/own_system/")
    rows = {(r.kind, r.target): r.final for r in Rating.objects.filter(kind__in=["record", "pair"])}
    assert rows[("record", "anchors_1")] == "2"
    assert rows[("pair", "pairs_2")] == "cannot_judge"
    assert len(rows) == sum(numbers.values()) == sum(told.values())
    assert Counter(c.detail["origin"] for c in CardShown.objects.filter(kind="dossiers")) == {"org": 3, "control": 3}
    assert sorted(c.detail["grade"] > 0 for c in CardShown.objects.filter(kind="anchors")) == [False] * 3 + [True] * 3
    for shown in CardShown.objects.filter(kind="pairs"):
        first, second = shown.detail["first"], shown.detail["second"]
        assert {first["origin"], second["origin"]} == {"org", "control"}
        assert first["object"] == second["object"]
    assert not CardShown.objects.filter(shown_at=None).exists()
    hour.close()
    assert hour.participant.end == ""
    assert not Rating.objects.filter(kind="record").exclude(locked_at=None).exists()
    assert "Your completion code" in hour.finish().content.decode()
    assert not Rating.objects.filter(kind__in=["record", "pair"], locked_at=None).exists()
    assert hour.post("closing/anchors/1/", {"choice": "5"})["Location"].endswith("/finish/")
    assert hour.save("card/anchors_1", {"choice": "5"}, base=1).status_code == 409
    assert Rating.objects.get(target="anchors_1").final == "2"
    # A bundle says of the control, which nobody visited, what it was made from (M5).
    told_orgs = {one["hash"]: one for one in frames(study, blind=False).orgs}
    assert set(told_orgs) == {org.hash, control.hash}
    assert told_orgs[control.hash]["parent"] == org.hash


def test_no_card_answers_before_the_lock(study, org, small_set, ben, client):
    """M6: not by GET, not by POST, not by a save; nothing is drawn."""
    hour = begin(study, ben, client, with_cards("anchors"))
    for go_on in (lambda: None, hour.orient, hour.open_question):
        go_on()
        for answer in (hour.get("closing/anchors/1/"), hour.post("closing/anchors/1/", {"choice": "5"})):
            assert answer.status_code == 302
            assert "/closing/" not in answer["Location"]
        assert hour.save("card/anchors_1", {"choice": "5"}).status_code == 404
    assert not CardShown.objects.exists()


def test_a_card_takes_one_of_its_options_and_keeps_first_and_last(study, org, control, ben, client):
    hour = to_the_lock(begin(study, ben, client, with_cards("pairs")))
    page = hour.post("closing/pairs/1/", {})
    assert page.status_code == 422
    assert "Choose one of the options" in page.content.decode()
    assert hour.post("closing/pairs/1/", {"choice": "3"}).status_code == 422
    assert hour.get("closing/pairs/3/").status_code == hour.get("closing/own_system/1/").status_code == 404
    assert hour.save("card/pairs_1", {"choice": "1"}).json()["version"] == 1
    assert hour.save("card/pairs_1", {"choice": "2"}, base=0).json()["error"] == "stale"
    assert hour.save("card/pairs_1", {"choice": "2"}, base=1).json()["version"] == 2
    row = Rating.objects.get(target="pairs_1")
    assert (row.first, row.final, row.changes) == ("1", "2", 1)
    assert hour.post("closing/pairs/1/", {})["Location"].endswith("/pairs/2/"), "what is stored is enough to go on"
    before = list(CardShown.objects.values_list("detail", flat=True))
    hour.get("closing/pairs/1/")
    assert list(CardShown.objects.values_list("detail", flat=True)) == before


def test_nothing_optional_holds_the_code(study, org, control, small_set, ben, client):
    """A set or a control Org that has gone since leaves its cards out; a file that has gone can be told so."""
    hour = to_the_lock(begin(study, ben, client, with_cards("anchors", "dossiers")))
    small_set.delete()
    control.manifest = {}
    control.save()
    assert hour.get("closing/")["Location"].endswith("/closing/own_system/")
    hour.close()
    assert hour.finish().status_code == 200
    assert hour.participant.completion_code


def test_a_cohort_does_not_open_without_its_cards(study, org, ben, client):
    from tests.people.walk import freeze

    freeze(study, with_cards("anchors", "reference", "dossiers", "pairs"))
    texts = [problem.text for problem in study_problems(study, "main")]
    assert "There is no set of cards “small”." in texts
    assert "The control Org “demo-control” is not loaded." in texts
    assert all(problem.remedy for problem in study_problems(study, "main"))
    stranger = make_control(org)
    stranger.manifest = {"parent": "0" * 64, "provenance": "deidentified_real"}
    stranger.save()
    call_command("anchors_make", stranger.name, seed=3, name="small", verbosity=0)
    texts = [problem.text for problem in study_problems(study, "main")]
    assert "“demo-control” is no control of the Org “demo-service”." in texts
    assert "The cards “small” are of an Org that is not in this arm." in texts
    assert "“demo-control” holds real records and its manifest has no approval, licence." in texts


def test_anchors_are_the_seeds_own_and_differ_by_one_stated_fault(org, small_set, capsys):
    """The same seed twice is the same set; broken copies differ from the Org's records, clean ones do not."""
    again = anchors.draw_anchors(snapshot_for(org), 3, 6, 6)
    assert anchors.sha256_of(again) == small_set.sha256
    assert anchors.sha256_of(anchors.draw_anchors(snapshot_for(org), 4, 6, 6)) != small_set.sha256
    call_command("anchors_make", org.name, seed=3, name="small")
    printed = capsys.readouterr().out
    assert f"small: there already, sha256 {small_set.sha256}" in printed
    assert printed.count("as it is") == 6
    with pytest.raises(CommandError, match="name of other cards"):
        call_command("anchors_make", org.name, seed=4, name="small")
    for wrong in ({"seed": -1}, {"seed": 1, "broken": 0}, {"seed": 1, "clean": 99}):
        with pytest.raises(CommandError):
            call_command("anchors_make", org.name, **wrong)
    rows = list(small_set.cards.all())
    assert sorted(bool(row.grade) == bool(row.fault) for row in rows) == [True] * 12
    assert {row.grade for row in rows} == {0, 1, 2, 3}
    assert len({row.fault for row in rows if row.fault}) >= 3
    # A database may keep the members of an object in an order of its own.
    real = {json.dumps(face, sort_keys=True) for face in faces(org)}
    assert all((json.dumps(row.content, sort_keys=True) in real) == (row.grade == 0) for row in rows)


def faces(org):
    snapshot = snapshot_for(org)
    for item in snapshot.registry.objects:
        for record in snapshot.records(item.name):
            yield cards.face(snapshot, item, record)


def test_a_case_that_was_closed_too_early_says_so(org):
    """The damage is in the values, not only in its name."""
    import random

    from study.fieldwork.card_faults import FAULTS

    snapshot = snapshot_for(org)
    item = snapshot.registry.object("Case")
    case = next(r for r in snapshot.records("Case") if r["ClosedDate"] and r["Status"] == "Closed" and r["ContactId"])
    sizes = []
    for grade in (1, 2, 3):
        broken = FAULTS["ends_before_it_begins"](snapshot, item, dict(case), grade, random.Random(1))
        assert broken["ClosedDate"] < case["CreatedDate"]
        sizes.append(case["CreatedDate"] - broken["ClosedDate"])
    assert sizes == sorted(sizes)
    assert FAULTS["ends_before_it_begins"](snapshot, item, case | {"ClosedDate": None}, 1, random.Random(1)) is None
    assert FAULTS["status_against_its_dates"](snapshot, item, dict(case), 1, random.Random(1))["ClosedDate"] is None
    other = FAULTS["text_of_another_record"](snapshot, item, dict(case), 3, random.Random(1))
    assert other["Description"] not in {row["Description"] for row in snapshot.records("Case")}


def test_the_reference_cards_are_the_same_everywhere(org, monkeypatch, tmp_path):
    """Twelve, six without a fault and two of each size; a changed file is refused, a stored set stays."""
    made = anchors.reference_set()
    assert Counter(card.grade for card in made.cards.all()) == {0: 6, 1: 2, 2: 2, 3: 2}
    assert anchors.reference_set() == made
    assert made.sha256 == anchors.REFERENCE_SHA256
    assert json.loads(anchors.REFERENCE_FILE.read_text())["sha256"] == anchors.REFERENCE_SHA256
    changed = tmp_path / "v1.json"
    changed.write_text(anchors.REFERENCE_FILE.read_text().replace("Petra", "Peter"))
    monkeypatch.setattr(anchors, "REFERENCE_FILE", changed)
    with pytest.raises(anchors.CannotMake):
        anchors.reference_set()


def test_the_protocol_check_says_what_cards_lack(tmp_path):
    def said(text: str) -> list[str]:
        return [finding.message for finding in check(parse(text))]

    assert said(with_cards("anchors", "reference", "dossiers", "pairs"))[0].startswith("Nobody reads mail")
    assert any(
        "Nothing says which cards" in m for m in said(with_cards("anchors").replace("      card_set: small\n", ""))
    )
    lacking = with_cards("dossiers").replace('      control: "name:demo-control"\n', "").replace("count: 6", "count: 7")
    assert any("which Org the other half" in message for message in said(lacking))
    assert any("7 records cannot be halved" in message for message in said(lacking))
    late = with_cards() + "\n"
    place = late.index("  - id: use\n")
    late = late[:place] + module("reference") + "\n" + late[place:]
    warned = [f for f in check(parse(late)) if "asks where the records came from before" in f.message]
    assert [f.level for f in warned] == ["warning"]
    early = with_cards().replace("    for_each: object\n", "    for_each: object\n", 1)
    early = early.replace(
        "  - id: own_system\n    position: after_ratings", "  - id: own_system\n    position: before_work"
    )
    assert any("for_each can only come after" in message for message in said(early))
    several = (
        with_cards("reference")
        .replace("    rate: [Account,", "    visits: [{code: one}, {code: two}]\n    rate: [Account,", 1)
        .replace("    visits: last\n", "")
    )
    assert any("shown before the ratings of a later visit" in message for message in said(several))
    assert any("may not be read before the ratings are locked" in message for message in said(several))
