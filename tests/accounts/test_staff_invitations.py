"""Staff join by an invitation bound to their address (P-41), and roles change at once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.test import Client
from django.utils import timezone

from study.accounts import staffing
from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.models import AuditRow, Membership, StaffInvitation, User

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def owner(ada):
    return signed_in(ada)


def link_in(letter) -> str:
    return re.search(r"http://127.0.0.1:8000(/staff/\S+/)", letter.body)[1]


def send(owner, email="Rene@Example.test", role="coordinator"):
    answer = owner.post("/studies/spring/staff/invite/", {"email": email, "role": role})
    assert answer.status_code == 302, answer.content.decode()
    return link_in(mail.outbox[-1])


def test_whoever_holds_the_link_does_not_become_staff(owner, study, cleo):
    """P-41: only the invited address, once; opening changes nothing (P-01)."""
    path = send(owner)
    assert mail.outbox[-1].to == ["rene@example.test"]
    scanner, stranger, rene = Client(), signed_in(cleo), Client()
    assert (scanner.head(path).status_code, scanner.get(path).status_code) == (200, 200)
    refused = stranger.post(path)
    assert refused.status_code == 403
    assert b"another address" in refused.content
    assert b"rene@example.test" not in refused.content
    assert study.memberships.count() == 1
    assert rene.post(path).status_code == 302
    member = study.memberships.get(role="coordinator")
    assert member.user.email == "rene@example.test"
    assert rene.session["_auth_user_id"] == str(member.user_id)
    assert member.user.emailaddress_set.get().verified
    again = Client()
    assert (again.post(path).status_code, "_auth_user_id" in again.session) == (410, False)
    assert Client().get("/staff/made-up/").status_code == 404


def test_the_token_is_nowhere_but_in_the_letter(owner, study, capfd):
    """P-41: lists, audit, the database and the log hold no link."""
    token = send(owner).split("/")[2]
    page = owner.get("/studies/spring/staff/").content.decode()
    assert "rene@example.test" in page
    assert token not in page + owner.get("/studies/spring/audit/").content.decode()
    row = StaffInvitation.objects.get()
    assert token not in (row.token_hash, row.email)
    rows = list(AuditRow.objects.values_list("target", "detail"))
    assert "rene@example.test" not in str(rows)
    assert token not in str(rows)
    from study.quiet_log import LINK

    assert LINK.sub("", f"Not Found: /staff/{token}/") == "Not Found: /"


def test_an_invitation_ends_with_its_time_its_withdrawal_and_its_inviters_right(owner, study, ada):
    path = send(owner)
    StaffInvitation.objects.update(expires_at=timezone.now())
    assert Client().post(path).status_code == 410
    newer = send(owner)
    assert StaffInvitation.objects.filter(revoked_at=None, accepted_at=None).count() == 1
    assert Client().post(path).status_code == 410
    pk = StaffInvitation.objects.latest("pk").pk
    assert owner.post(f"/studies/spring/staff/invitations/{pk}/withdraw/").status_code == 302
    assert Client().post(newer).status_code == 410
    newest = send(owner, role="owner")
    other = add_member(study, user_with_address("otto@example.test"), "owner", by=None)
    staffing.remove(study, ada.pk, by=other.user)
    assert Client().post(newest).status_code == 410
    assert list(study.memberships.values_list("user__email", flat=True)) == ["otto@example.test"]


def test_a_role_is_never_above_the_inviters(owner, study):
    for role in ("coordinator", "researcher", "viewer"):
        client = signed_in(add_member(study, user_with_address(f"{role}@example.test"), role, by=None).user)
        assert (
            client.post("/studies/spring/staff/invite/", {"email": "x@example.test", "role": "viewer"}).status_code
            == 403
        )
        with pytest.raises(Exception, match="Only an owner"):
            staffing.invite(study, "x@example.test", "viewer", by=User.objects.get(email=f"{role}@example.test"))
    for email, role in (("x@example.test", "operator"), ("no address", "viewer"), ("viewer@example.test", "owner")):
        answer = owner.post("/studies/spring/staff/invite/", {"email": email, "role": role})
        assert answer.status_code == 422, (email, role)
        assert b'role="alert"' in answer.content
    assert mail.outbox == []
    assert not StaffInvitation.objects.exists()


def test_one_account_sends_only_so_many_letters(owner, study, monkeypatch):
    """P-57: the limit hits the account, nobody else."""
    monkeypatch.setattr(staffing, "IN_AN_HOUR", 2)
    send(owner, "a@example.test"), send(owner, "b@example.test")
    assert owner.post("/studies/spring/staff/invite/", {"email": "c@example.test", "role": "viewer"}).status_code == 422
    StaffInvitation.objects.update(created_at=timezone.now() - timedelta(hours=2))
    send(owner, "c@example.test")


def test_an_invitation_that_the_mail_server_refused_is_withdrawn(owner, study, settings):
    settings.EMAIL_BACKEND = "tests.accounts.test_staff_invitations.Refusing"
    answer = owner.post("/studies/spring/staff/invite/", {"email": "x@example.test", "role": "viewer"})
    assert answer.status_code == 503
    assert StaffInvitation.objects.get().revoked_at


class Refusing(BaseEmailBackend):
    def send_messages(self, letters):
        raise ConnectionRefusedError


def test_a_change_of_role_holds_at_once_and_an_owner_stays(owner, study, ada):
    noor = add_member(study, user_with_address("noor@example.test"), "coordinator", by=None).user
    client = signed_in(noor)
    assert client.get("/studies/spring/cohorts/").status_code == 200
    owner.post(f"/studies/spring/staff/{noor.pk}/role/", {"role": "viewer"})
    assert client.get("/studies/spring/cohorts/").status_code == 403
    owner.post(f"/studies/spring/staff/{noor.pk}/remove/")
    assert client.get("/studies/spring/").status_code == 404
    for path, form in ((f"{ada.pk}/role/", {"role": "viewer"}), (f"{ada.pk}/remove/", {})):
        answer = owner.post(f"/studies/spring/staff/{path}", form)
        assert (answer.status_code, b"last owner" in answer.content) == (409, True)
    assert study.memberships.get().user == ada
    assert owner.post(f"/studies/spring/staff/{noor.pk}/remove/").status_code == 404
    acts = set(AuditRow.objects.values_list("act", flat=True))
    assert {"member.changed", "member.removed"} <= acts


def test_nobody_is_staff_and_participant_of_one_study(owner, study, ada, cohort, invite):
    """P-41: invitations of participants and staff cannot be swapped, and neither makes the other."""
    (hour,) = invite("ben@example.test")
    as_staff = owner.post("/studies/spring/staff/invite/", {"email": "ben@example.test", "role": "viewer"})
    assert as_staff.status_code == 422
    assert b"belongs to a participant" in as_staff.content
    assert Client().get(f"/staff/{hour.split('/')[2]}/").status_code == 404
    # Invited to both, the hour first: the staff link says no.
    path = send(owner, "mira@example.test")
    assert Client().get(f"/i/{path.split('/')[2]}/").status_code == 404
    (mira,) = invite("mira@example.test")
    browser = Client()
    browser.post(mira)
    refused = browser.post(path)
    assert (refused.status_code, b"belongs to a participant" in refused.content) == (410, True)
    # Staff first: the hour says no, by a letter and by the open link.
    (link,) = invite("otto@example.test")
    otto = add_member(study, user_with_address("otto@example.test"), "viewer", by=None).user
    assert Client().post(link).status_code == 409
    cohort.open_link = "come-in"
    cohort.save(update_fields=["open_link"])
    team = signed_in(otto).post("/j/come-in/", {"once": "x" * 24, "switch": "1"})
    assert b"study team" in team.content
    assert not otto.participations.exists()
    assert set(Membership.objects.values_list("user__email", flat=True)) == {"ada@example.test", "otto@example.test"}
