"""From rows to bundle: everything a person did arrives, in the format's own columns, and nothing they are."""

from __future__ import annotations

import csv

import pytest
from django.core.management import CommandError, call_command

from analysis.bundle import read_bundle
from study.fieldwork.models import Rationale
from study.people.models import Participant
from study.results.exporting import make_export, write_study

pytestmark = pytest.mark.django_db
FORMULA = "=1+1 is what the total says"
FAMILY = 'Whole family 👩‍👩‍👧‍👦 kept, 100 %.\n\nSecond paragraph, with "quotes"; and commas,\nيبدو CRM حقيقيًا.'


def rows(folder, table):
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_finished_hour_is_whole_in_the_bundle(opened, finished, tmp_path):
    write_study(opened, tmp_path / "b", blind=False)
    bundle = read_bundle(tmp_path / "b")
    ratings = bundle.frames["ratings"]
    assert len(ratings) == 9
    assert set(ratings.loc[ratings["kind"] == "object", "final"]) == {2}
    assert list(ratings.loc[ratings["kind"] == "org", "final"]) == [4]
    assert (ratings.loc[ratings["kind"] == "object", "opened_look"] == 1).all()
    outcomes = bundle.frames["attempts"]["outcome"]
    assert sorted(outcomes) == ["answered"] * 4 + ["skipped"]
    person = bundle.frames["participants"].iloc[0]
    assert (person["code"], person["end"], bool(person["analysed"]), bool(person["complete"])) == (
        finished.code, "complete", True, True,
    )  # fmt: skip
    closing = bundle.frames["closing"].set_index("item")
    assert closing.loc["umux_easy", "value_blank"] == "rather_not_say"
    assert closing.loc["origin_guess", "value"] == "mix"
    assert len(bundle.frames["rationales"]) == 9 + 8
    assert bundle.frames["assignment_log"]["event"].tolist().count("assigned") == 5


def test_the_same_data_give_the_same_hash_and_other_data_another(opened, finished, tmp_path):
    first = write_study(opened, tmp_path / "a", blind=False)
    again = write_study(opened, tmp_path / "b", blind=False)
    assert first == again
    Rationale.objects.filter(side="off").first().delete()
    assert write_study(opened, tmp_path / "c", blind=False).hash != first.hash


def test_while_blind_there_are_no_ratings_and_no_words(study, finished, tmp_path, desk_of_ada):
    """M13: an export made while blind cannot unblind anybody."""
    write_study(study, tmp_path / "b", blind=True)
    assert rows(tmp_path / "b", "ratings") == []
    assert rows(tmp_path / "b", "rationales") == []
    assert rows(tmp_path / "b", "closing") == []
    assert rows(tmp_path / "b", "notes") == []
    assert len(rows(tmp_path / "b", "attempts")) == 5
    everything = b"".join(path.read_bytes() for path in (tmp_path / "b").iterdir())
    assert b"totals add up" not in everything


def test_formulas_and_every_script_survive(opened, finished, tmp_path):
    """P-21, P-16, P-23: text is text in a spreadsheet, and identical in our own reader."""
    first, second = Rationale.objects.filter(side="right").order_by("pk")[:2]
    Rationale.objects.filter(pk=first.pk).update(text=FORMULA)
    Rationale.objects.filter(pk=second.pk).update(text=FAMILY)
    write_study(opened, tmp_path / "b", blind=False)
    raw = [row["text"] for row in rows(tmp_path / "b", "rationales")]
    assert "'" + FORMULA in raw
    assert FORMULA not in raw
    texts = list(read_bundle(tmp_path / "b").frames["rationales"]["text"])
    assert {FORMULA, FAMILY} <= set(texts)
    for table in (tmp_path / "b").glob("*.csv"):
        for row in csv.reader(table.read_text(encoding="utf-8").splitlines(keepends=True)):
            assert not any(cell[:1] in "=@\t\r" and cell for cell in row), table.name


def test_nothing_says_who_it_was(opened, finished, ben, tmp_path):
    """P-42 in part: no address, name or internal number of a person in any file."""
    write_study(opened, tmp_path / "b", blind=False)
    for path in (tmp_path / "b").iterdir():
        text = path.read_text(encoding="utf-8")
        assert ben.email not in text, path.name
        assert ben.name not in text, path.name


def test_previews_are_in_no_table(cohort, ada, desk_of_ada, study, tmp_path):
    """P-14: a walk through by staff is counted nowhere."""
    desk_of_ada.post(f"/studies/{study.code}/preview/")
    assert Participant.objects.get().preview
    write_study(study, tmp_path / "b", blind=False)
    assert rows(tmp_path / "b", "participants") == []
    assert rows(tmp_path / "b", "visits") == []


def test_answers_taken_out_are_gone_and_counted(cohort, ben, client, study, tmp_path):
    """M7: after the debrief a person may take everything out; the row says that there was something."""
    from tests.fieldwork.hour import Hour

    hour = Hour.begin(cohort, ben, client)
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.close()
    hour.finish("take_out")
    write_study(study, tmp_path / "b", blind=False)
    assert {row["final_blank"] for row in rows(tmp_path / "b", "ratings")} == {"removed"}
    assert rows(tmp_path / "b", "rationales") == []
    assert {row["value_blank"] for row in rows(tmp_path / "b", "closing")} == {"removed"}
    person = rows(tmp_path / "b", "participants")[0]
    assert (person["complete"], person["usable"], person["analysed"]) == ("true", "false", "false")


def test_a_study_without_people_exports(study, tmp_path):
    """P-30: every table is there, with its head and no rows."""
    write_study(study, tmp_path / "b", blind=False)
    assert rows(tmp_path / "b", "participants") == []
    assert read_bundle(tmp_path / "b").frames["ratings"].empty


def test_the_command_says_what_it_wrote_and_what_to_do(study, finished, tmp_path, capsys):
    call_command("export_bundle", study.code, "--out", str(tmp_path / "b"))
    said = capsys.readouterr().out
    assert "The study is blind" in said
    assert said.strip().splitlines()[-1].startswith("bundle ")
    with pytest.raises(CommandError, match="There is no study 'nope'"):
        call_command("export_bundle", "nope", "--out", str(tmp_path / "c"))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "other.txt").write_text("mine")
    with pytest.raises(CommandError, match=r"other\.txt"):
        call_command("export_bundle", study.code, "--out", str(tmp_path / "d"))
    assert (tmp_path / "d" / "other.txt").read_text() == "mine"


def test_equal_bundles_are_equal_files(opened, finished):
    one, two = make_export(opened, by=None), make_export(opened, by=None)
    assert one.bundle_hash == two.bundle_hash
    assert one.size == two.size


@pytest.mark.django_db(transaction=True, databases=["default", "reader"])
def test_people_save_while_an_export_reads(cohort, ben, client, study):
    """A5: a long reading transaction on the reader alias never makes a save wait."""
    from django.db import connections, transaction

    from tests.fieldwork.hour import Hour

    hour = Hour.begin(cohort, ben, client)
    hour.orient()
    hour.open_question()
    with transaction.atomic(using="reader"):
        seen = Participant.objects.using("reader").count()
        answer = hour.save("attempt/1", {"answer": "", "confidence": 50})
        assert answer.status_code == 200, answer.content
        assert Participant.objects.using("reader").count() == seen
    connections["reader"].close()
