"""docs/first-study.md, followed line by line: its commands end in an invitation that leads to the work."""

import io
import re
import shlex
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import call_command, get_commands
from django.test import Client

from study.accounts.jobs import Running
from study.accounts.models import Job, Membership
from study.people.mail.letters import send_letters
from study.people.models import Cohort, Invitation, Participant, Stage
from tests.people.walk import GOOD, agree, code_of, make_org

PAGE = Path(__file__).resolve().parents[2] / "docs" / "first-study.md"
TEXT = PAGE.read_text(encoding="utf-8")


def documented(text: str = TEXT) -> list[list[str]]:
    """The arguments of each command in the page's console blocks, in order."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.S)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line)[3:] for line in lines]


def unknown(text: str = TEXT) -> set[str]:
    """Commands the page names that the project does not have."""
    named = set(re.findall(r"manage\.py (\w+)", text)) | set(re.findall(r"`([a-z]+_[a-z]+)[ `]", text))
    return named - set(get_commands())


def test_every_command_named_there_exists():
    assert unknown() == set()
    assert len(documented()) == 10


def test_a_slip_in_the_page_is_found():
    slip = TEXT.replace("manage.py cohort_open spring", "manage.py cohort_opne spring")
    assert "cohort_opne" in unknown(slip)
    assert "cohort_opne" in {name for name, *_ in documented(slip)}


@pytest.mark.django_db
def test_the_commands_lead_from_nothing_to_people_at_work():
    said = {}
    for name, *arguments in documented():
        out = io.StringIO()
        if name == "migrate":
            continue
        if name == "org_generate":
            # Making a world takes seconds and has its own tests; here one of the same name stands in.
            make_org(arguments[arguments.index("--name") + 1])
            continue
        call_command(name, *arguments, stdout=out, stderr=out)
        said.setdefault(name, []).append(out.getvalue())

    cohort = Cohort.objects.get()
    assert (cohort.study.code, cohort.code, cohort.state, cohort.target) == ("spring", "north", "open", 20)
    assert set(Membership.objects.values_list("user__email", "role")) == {
        ("ada@example.test", "owner"),
        ("noor@example.test", "coordinator"),
    }
    assert "2 would be invited" in said["invite"][0]
    assert Invitation.objects.count() == 2
    send_letters(Running(Job(kind="send_letters")))
    letter = next(one for one in mail.outbox if one.to == ["rene@example.test"])
    assert letter.reply_to == ["noor@example.test"]

    rene = Client()
    rene.post(next(word for word in letter.body.split() if "/i/" in word))
    code = code_of(rene)
    rene.post(f"/hour/{code}/screener/", GOOD)
    agree(rene, code)
    assert Participant.objects.get(code=code).stage == Stage.CONSENTED
    assert Participant.objects.get(code=code).visits.get().places.count() == 5

    ada = Client()
    path = said["signin_link"][0].strip().split("8000")[-1]
    assert ada.post(path).status_code == 302
    page = ada.get("/studies/spring/").content.decode()
    assert "missing" not in page
