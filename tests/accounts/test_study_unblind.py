"""manage.py study_unblind: an owner, a reason, once (M13)."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from study.accounts.flows import add_member
from study.accounts.models import AuditRow, Role

pytestmark = pytest.mark.django_db
REASON = "Everybody has finished."


def run(study, by, reason=REASON) -> str:
    said = StringIO()
    call_command("study_unblind", study.code, "--by", by, "--reason", reason, stdout=said)
    return said.getvalue()


def test_an_owner_opens_a_study_once_and_the_reason_is_kept(study, ada):
    assert "is unblinded" in run(study, ada.email.upper())
    study.refresh_from_db()
    assert (study.blind, study.unblinded_by, study.unblind_reason) == (False, ada, REASON)
    assert REASON in run(study, ada.email, "Another reason altogether.")
    study.refresh_from_db()
    assert study.unblind_reason == REASON
    assert AuditRow.objects.filter(study=study, act="study.unblinded").count() == 1


def test_nobody_else_opens_it(study, cleo, ben):
    add_member(study, ben, Role.RESEARCHER, by=None)
    for person in (ben, cleo):
        with pytest.raises(CommandError, match="not an owner"):
            run(study, person.email)
    study.refresh_from_db()
    assert study.blind


def test_a_reason_is_a_sentence(study, ada):
    with pytest.raises(CommandError, match="why"):
        run(study, ada.email, "  ok ")
    study.refresh_from_db()
    assert study.blind


def test_a_study_that_is_not_there_is_named():
    with pytest.raises(CommandError, match="nowhere"):
        call_command("study_unblind", "nowhere", "--by", "ada@example.test", "--reason", REASON)
