"""manage.py org_generate: an Org and its questions in one go."""

from __future__ import annotations

from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.benchmark.check import check_instances
from study.benchmark.models import Instance
from study.generator.flows import STARTER_SCALE, generate_org
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for

SMALL = ("--scale", "0.05")


def generate(name: str, *more: str, seed: int = 7) -> str:
    out = StringIO()
    call_command("org_generate", "service", "--seed", str(seed), "--name", name, *more, stdout=out, no_color=True)
    return out.getvalue()


@pytest.mark.django_db
def test_generates_an_org_whose_answers_agree_three_times() -> None:
    said = generate("demo-service", "--scale", str(STARTER_SCALE))
    org = Org.objects.get(name="demo-service")
    assert f"hash {org.hash}" in said
    assert "16 objects" in said
    assert "Generated as demo-service in" in said
    assert "refused: case_routing" in said
    assert 5_000 <= sum(org.counts.values()) <= 6_000
    assert org.company == "Harrow & Ember"
    assert org.last_day == snapshot_for(org).last_day
    stored = Instance.objects.filter(org=org)
    # People get only questions of the last day, and thirty of each task at least.
    assert not stored.filter(assignable=False, today=org.last_day).exists()
    assert not stored.filter(assignable=True).exclude(today=org.last_day).exists()
    for_people = Counter(stored.filter(assignable=True).values_list("task", flat=True))
    assert len(for_people) == 9
    assert min(for_people.values()) >= 30
    some = stored.filter(pk__in=[one.pk for number, one in enumerate(stored) if number % 5 == 0])
    report = check_instances(some, snapshot_for(org))
    assert report.differ.total() == 0
    assert not report.unclear
    assert report.agree.total() > 100


@pytest.mark.django_db
def test_a_planted_change_is_found() -> None:
    org = generate_org("service", seed=7, name="planted", scale=0.1).org
    one = Instance.objects.filter(org=org, task="monthly_trend_analysis").exclude(answer=[None])[0]
    one.answer = ["May" if one.answer != ["May"] else "June"]
    one.save(update_fields=["answer"])
    asked = Instance.objects.filter(org=org, task="monthly_trend_analysis")
    assert check_instances(asked, snapshot_for(org)).differ.total() == 1


@pytest.mark.django_db
def test_a_taken_name_is_refused_in_one_line() -> None:
    generate("taken", *SMALL, "--no-instances")
    with pytest.raises(CommandError, match="taken is the name of an Org already"):
        generate("taken", *SMALL, seed=8)
    assert Org.objects.count() == 1


@pytest.mark.django_db
def test_the_same_content_under_another_name_is_the_same_org() -> None:
    generate("first", *SMALL, "--no-instances")
    assert "here already, as first" in generate("second", *SMALL, "--no-instances")
    assert [org.name for org in Org.objects.all()] == ["first"]


@pytest.mark.django_db
def test_no_instances_leaves_them_out() -> None:
    generate("bare", *SMALL, "--no-instances")
    assert not Instance.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("wrong", [("--scale", "0"), ("--seed", "-3"), ("--name", "not a name"), ("--cores", "0")])
def test_wrong_values_are_said_in_one_line(wrong: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        generate("wrong", *wrong)
    assert not Org.objects.exists()


@pytest.mark.django_db
def test_the_same_seed_asks_the_same_questions(settings: Any, tmp_path: Any) -> None:
    asked = []
    for place in ("one", "other"):
        settings.REALIA_VAR = tmp_path / place
        org = generate_org("service", seed=7, name=place, scale=0.05).org
        asked.append(list(org.instances.order_by("idx", "pk").values_list("task", "query", "answer")))
        org.instances.all().delete()
        org.delete()
    assert asked[0] == asked[1]
    assert asked[0]
