"""manage.py org_generate: an Org and its questions in one go."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from study.benchmark.check import check_instances
from study.benchmark.models import Instance
from study.generator.flows import generate_org
from study.generator.world.asking import register_instances
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for


def generate(name: str, *more: str, seed: int = 7) -> str:
    out = StringIO()
    call_command("org_generate", "service", "--seed", str(seed), "--name", name, *more, stdout=out, no_color=True)
    return out.getvalue()


@pytest.mark.django_db
def test_generates_an_org_whose_answers_agree_three_times() -> None:
    said = generate("demo-service")
    org = Org.objects.get(name="demo-service")
    assert f"hash {org.hash}" in said
    assert "16 objects" in said
    assert "Generated as demo-service in" in said
    assert org.company == "Harrow & Ember"
    assert org.last_day == snapshot_for(org).last_day
    stored = Instance.objects.filter(org=org)
    assert stored.count() >= 8 * 12
    assert not stored.filter(assignable=False).exists()
    report = check_instances(stored, snapshot_for(org))
    assert report.differ.total() == 0
    assert not report.unclear
    assert report.agree.total() >= 7 * 12
    assert report.no_rule.total() >= 12


@pytest.mark.django_db
def test_a_planted_change_is_found() -> None:
    org = generate_org("service", seed=7, name="planted", scale=1.0).org
    one = Instance.objects.filter(org=org, task="monthly_trend_analysis").exclude(answer=[None])[0]
    one.answer = ["May" if one.answer != ["May"] else "June"]
    one.save(update_fields=["answer"])
    assert check_instances(Instance.objects.filter(org=org), snapshot_for(org)).differ.total() == 1


@pytest.mark.django_db
def test_a_taken_name_is_refused_in_one_line() -> None:
    generate("taken", "--scale", "0.2", "--no-instances")
    with pytest.raises(CommandError, match="taken is the name of an Org already"):
        generate("taken", "--scale", "0.2", seed=8)
    assert Org.objects.count() == 1


@pytest.mark.django_db
def test_the_same_content_under_another_name_is_the_same_org() -> None:
    generate("first", "--scale", "0.2", "--no-instances")
    assert "here already, as first" in generate("second", "--scale", "0.2", "--no-instances")
    assert [org.name for org in Org.objects.all()] == ["first"]


@pytest.mark.django_db
def test_no_instances_leaves_them_out() -> None:
    generate("bare", "--scale", "0.2", "--no-instances")
    assert not Instance.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("wrong", [("--scale", "0"), ("--seed", "-3"), ("--name", "not a name")])
def test_wrong_values_are_said_in_one_line(wrong: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        generate("wrong", *wrong)
    assert not Org.objects.exists()


@pytest.mark.django_db
def test_registering_twice_adds_nothing(instances: list[dict]) -> None:
    org = generate_org("service", seed=7, name="twice", instances=False).org
    assert register_instances(org, instances).new == len(instances)
    assert register_instances(org, instances).new == 0
