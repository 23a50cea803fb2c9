"""Signing in: printed links, codes by mail, and one person per address."""

from datetime import timedelta
from threading import Thread

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from study.accounts.adapter import user_with_address
from study.accounts.flows import make_signin_link
from study.accounts.models import AuditRow, SigninLink, User

pytestmark = pytest.mark.django_db


def test_mail_scanner_does_not_use_up_a_link(client, ada):
    """P-01: HEAD and GET change nothing; the deliberate press signs in."""
    path = make_signin_link(ada.email)
    scanner = Client()
    assert scanner.head(path).status_code == 200
    assert scanner.get(path).status_code == 200
    assert SigninLink.objects.get().used_at is None
    assert "_auth_user_id" not in scanner.session
    assert client.post(path).status_code == 302
    assert client.session["_auth_user_id"] == str(ada.pk)


def test_a_link_works_once_and_only_in_time(client, ada):
    path = make_signin_link(ada.email)
    assert client.post(path).status_code == 302
    again = Client()
    assert again.post(path).status_code == 404
    assert "_auth_user_id" not in again.session
    late = make_signin_link(ada.email)
    SigninLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1), used_at=None)
    assert Client().post(late).status_code == 404
    assert Client().get("/link/made-up/").status_code == 404


def test_the_token_is_nowhere_in_the_database(ada):
    token = make_signin_link(ada.email).split("/")[2]
    row = SigninLink.objects.get()
    assert token not in row.token_hash
    assert all(token not in str(r.detail) + r.target for r in AuditRow.objects.all())


def test_signin_link_command(capsys, ada, settings):
    call_command("signin_link", "ADA@example.test")
    assert capsys.readouterr().out.startswith(settings.REALIA_URL + "/link/")
    with pytest.raises(CommandError, match="Nobody with the address"):
        call_command("signin_link", "nobody@example.test")


def test_sign_in_by_code_takes_one_code(client, mailoutbox, ada):
    """Without an address row people would be asked for a second code."""
    client.post("/account/login/code/", {"email": "Ada@Example.test"})
    code = next(word for word in mailoutbox[0].body.split() if len(word) >= 6 and word.isupper())
    answer = client.post("/account/login/code/confirm/", {"code": code})
    assert answer.status_code == 302
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert EmailAddress.objects.get(user=ada).verified


def test_strangers_are_not_mailed_and_cannot_sign_up(client, mailoutbox):
    assert client.post("/account/login/code/", {"email": "stranger@example.test"}).status_code in {200, 302}
    assert mailoutbox == []
    form = {"email": "x@example.test", "password1": "a long one 77", "password2": "a long one 77"}
    page = client.post("/account/signup/", form)
    assert b"invitation" in page.content
    assert not User.objects.exists()


def test_one_person_for_two_spellings_of_an_address():
    """P-03: case variants are one account, by the database."""
    first = user_with_address("Mara.Lindt@Example.test")
    assert user_with_address("mara.lindt@example.test") == first
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.bulk_create([User(email="Mara.Lindt@Example.test", password="!")])
    # plus-addresses stay separate people
    assert user_with_address("mara.lindt+b@example.test") != first


def test_a_campus_behind_one_address_is_not_locked_out(client, mailoutbox):
    """P-57 in part: limits are per account, so thirty people at one address all get a code."""
    for n in range(30):
        user_with_address(f"person{n}@example.test")
        Client().post("/account/login/code/", {"email": f"person{n}@example.test"})
    assert len(mailoutbox) == 30


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_use_a_link_once(ada):
    path = make_signin_link(ada.email)
    codes = []

    def press():
        codes.append(Client().post(path).status_code)
        connection.close()

    threads = [Thread(target=press) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert sorted(codes) == [302, 404]
