"""From the invitation to consent, as a browser sees it."""

import pytest
from django.test import Client

from study.accounts.models import User
from study.people.models import Consent, End, Invitation, Participant, Screening, Stage
from tests.people.walk import GOOD, agree, code_of, to_consent

pytestmark = pytest.mark.django_db


def snapshot():
    rows = Participant.objects.values_list("stage", "end", "user", "last_seen_at", "joined_at")
    return list(rows), list(Invitation.objects.values_list("used_at", "declined_at")), User.objects.count()


def test_opening_a_link_changes_nothing(invite):
    """P-01: HEAD and GET, by anybody and however often, leave the invitation unused."""
    (path,) = invite("rene@example.test")
    before = snapshot()
    for client in (Client(), Client()):
        assert client.head(path).status_code == 200
        page = client.get(path)
        assert page.status_code == 200
        assert "opening this page does not sign you up" in page.content.decode()
        assert client.get(path + "decline/").status_code == 405
    assert snapshot() == before
    mine = Client()
    assert mine.post(path).status_code == 302
    assert Participant.objects.get().stage == Stage.JOINED


def test_plus_address_is_shown_as_invited_and_is_in_no_url(invite):
    """P-02: nadia.k+study2 stays as it is, and the link holds no address."""
    (path,) = invite("nadia.k+study2@example.test")
    assert "nadia" not in path
    client = Client()
    assert "nadia.k+study2@example.test" in client.get(path).content.decode()
    client.post(path)
    participant = Participant.objects.get()
    assert participant.user.email == "nadia.k+study2@example.test"
    assert participant.invitation.used_at


def test_case_variants_are_one_person(invite, cohort):
    """P-03: an invitation typed in capitals belongs to the lower-case account, once."""
    assert len(invite("Mara.Lindt@Example.test")) == 1
    assert invite("mara.lindt@example.test") == []
    client = Client()
    client.post(f"/i/{'x' * 32}/")
    from study.people.ways.tokens import make_token

    one = Participant.objects.get()
    client.post(f"/i/{make_token(one, one.invitation.created_at)}/")
    assert User.objects.filter(email="mara.lindt@example.test").count() == 1
    assert Participant.objects.get().user.emailaddress_set.get().verified


def test_somebody_else_signed_in_is_asked_first(invite, ben):
    """P-05: the next person at a shared computer never goes on as the last one."""
    (path,) = invite("rene@example.test")
    client = Client()
    client.force_login(ben)
    client.session["draft"] = "something of Ben's"
    page = client.get(path).content.decode()
    assert "Somebody else is signed in" in page
    assert "ben@example.test" not in page
    assert client.post(path).status_code == 409
    assert Participant.objects.get().stage == Stage.INVITED
    assert client.post(path, {"switch": "1"}).status_code == 302
    assert User.objects.get(pk=client.session["_auth_user_id"]).email == "rene@example.test"
    assert "draft" not in client.session
    assert not ben.participations.exists()


def test_a_used_link_leads_its_person_on_and_nobody_else_in(invite):
    """P-41: once something is answered, only a code to the same mailbox opens it elsewhere."""
    (path,) = invite("rene@example.test")
    mine = Client()
    to_consent(mine, path)
    assert mine.get(path).url == "/hour/"
    assert mine.get("/hour/").url == f"/hour/{code_of(mine)}/consent/"
    thief = Client()
    page = thief.post(path)
    assert page.status_code == 200
    assert "E-mail me a code" in page.content.decode()
    assert "_auth_user_id" not in thief.session


def test_only_the_hash_of_a_token_is_stored(invite):
    """P-41: the raw token is in no table, audit and jobs included."""
    (path,) = invite("rene@example.test")
    token = path.split("/")[2]
    from django.apps import apps
    from django.core import serializers

    for model in apps.get_models():
        assert token not in serializers.serialize("json", model._default_manager.all()), model


def test_declining_ends_it_and_sends_nothing_more(invite):
    (path,) = invite("rene@example.test")
    client = Client()
    assert client.post(path + "decline/").status_code == 200
    assert client.post(path + "decline/").status_code == 200
    participant = Participant.objects.get()
    assert (participant.end, participant.completion_code) == (End.WITHDRAWN, "")
    assert participant.stage_events.count() == 2
    assert participant.letters.get().state == "dropped"
    assert client.post(path).status_code == 410
    assert Participant.objects.get().stage == Stage.INVITED


def test_the_whole_way_to_orientation(invite, cohort):
    (path,) = invite("rene@example.test")
    client = Client()
    assert client.post(path).url.endswith("/screener/")
    code = code_of(client)
    page = client.get(f"/hour/{code}/screener/").content.decode()
    assert "checked" not in page
    assert code in page
    assert "Spring realism study" not in page
    assert client.post(f"/hour/{code}/screener/", GOOD).url == f"/hour/{code}/consent/"
    page = client.get(f"/hour/{code}/consent/").content.decode()
    assert "checked" not in page
    assert agree(client, code).url == f"/hour/{code}/orientation/"
    visit = Participant.objects.get().visits.get()
    assert visit.places.count() == 5
    assert len(set(visit.places.values_list("task", flat=True))) == 5
    copy = client.get(f"/hour/{code}/consent/copy/").content.decode()
    assert "I am 18 or older." in copy
    assert Consent.objects.get().sha256 in copy


def test_double_posts_make_one_record_each(invite):
    """P-08: confirm, screener and consent sent twice leave one row each and lead to the same page."""
    (path,) = invite("rene@example.test")
    client = Client()
    client.post(path)
    client.post(path)
    code = code_of(client)
    first = client.post(f"/hour/{code}/screener/", GOOD)
    second = client.post(f"/hour/{code}/screener/", GOOD)
    assert first.url == second.url == f"/hour/{code}/consent/"
    assert Screening.objects.count() == 1
    first, second = agree(client, code), agree(client, code)
    assert first.url == second.url == f"/hour/{code}/orientation/"
    participant = Participant.objects.get()
    assert participant.consents.count() == participant.visits.count() == 1
    assert list(participant.stage_events.order_by("pk").values_list("stage", flat=True)) == [
        "invited",
        "joined",
        "eligible",
        "consented",
    ]


def test_pages_before_do_not_open_again(invite):
    """P-09: Back from a later page lands where the person is, and an old form sent again changes nothing."""
    (path,) = invite("rene@example.test")
    client = Client()
    code = to_consent(client, path)
    agree(client, code)
    for page in ("screener", "consent"):
        assert client.get(f"/hour/{code}/{page}/").url == f"/hour/{code}/orientation/"
    assert client.post(f"/hour/{code}/consent/decline/").url == f"/hour/{code}/orientation/"
    assert Participant.objects.get().end == ""


def test_a_stranger_sees_nothing(invite, cleo):
    """P-39: another's pages are exactly as absent as made-up ones."""
    (path,) = invite("rene@example.test")
    client = Client()
    code = to_consent(client, path)
    agree(client, code)
    other = Client()
    other.force_login(cleo)
    for page in ("key", "screener", "consent", "consent/copy", "privacy", "leave", "ended"):
        real, made_up = other.get(f"/hour/{code}/{page}/"), other.get(f"/hour/P-0000/{page}/")
        assert (real.status_code, made_up.status_code) == (404, 404)
        assert real.content == made_up.content
        assert Client().get(f"/hour/{code}/{page}/").url.startswith("/hour/?next=")
    for page in ("screener", "consent", "consent/decline", "leave"):
        assert other.post(f"/hour/{code}/{page}/", GOOD).status_code == 404
    assert Participant.objects.get().stage == Stage.CONSENTED


def test_no_page_on_the_way_in_says_how_the_records_were_made(invite, cohort, study):
    """M7: neither the words nor the study's private name meet anybody before the ratings are locked."""
    from study.protocols.checks_texts import FORBIDDEN

    cohort.open_link = "opensesame"
    cohort.save()
    (path,) = invite("rene@example.test")
    client, pages = Client(), {}

    def look(url, posted=None):
        page = client.get(url) if posted is None else client.post(url, posted)
        pages[url] = page.content.decode()

    look("/j/opensesame/")
    look("/hour/")
    look(path)
    client.post(path)
    code = code_of(client)
    look(f"/hour/{code}/screener/")
    look(f"/hour/{code}/screener/", {"S1": "never"})
    client.post(f"/hour/{code}/screener/", GOOD)
    look(f"/hour/{code}/consent/")
    look(f"/hour/{code}/consent/", {"sha256": "old"})
    agree(client, code)
    for name in ("consent/copy", "privacy", "leave"):
        look(f"/hour/{code}/{name}/")
    client.post(f"/hour/{code}/leave/", {"data": "keep"})
    look(f"/hour/{code}/ended/")
    for url, page in pages.items():
        assert len(page) > 500, url
        assert FORBIDDEN.findall(page) == [], url
        assert study.name not in page, url
        assert 'href="/studies' not in page, url
        assert 'href="/"' not in page, url


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_presses_at_the_same_moment(invite):
    """P-08: two requests of one confirm, and then of one consent, make one user, one visit and no error."""
    import threading

    from django.db import connections

    (path,) = invite("rene@example.test")

    def both(act):
        answers, barrier = [], threading.Barrier(2)

        def run():
            try:
                barrier.wait()
                answers.append(act())
            finally:
                connections.close_all()

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    first = both(lambda: Client().post(path).status_code)
    # Whoever comes after the other has finished is shown the way to sign in.
    assert sorted(first) in ([302, 302], [200, 302])
    participant = Participant.objects.get()
    client = Client()
    client.force_login(participant.user)
    assert set(both(lambda: client.post(f"/hour/{participant.code}/screener/", GOOD).status_code)) == {302}
    assert {answer.status_code for answer in both(lambda: agree(client, participant.code))} == {302}
    assert User.objects.filter(email="rene@example.test").count() == 1
    assert [Screening.objects.count(), Consent.objects.count(), participant.visits.count()] == [1, 1, 1]
    assert participant.stage_events.count() == 4


def test_coming_back_by_a_code_sent_to_the_same_mailbox(invite):
    """One code is enough: the link proved the mailbox, so nobody is asked to prove it a second time."""
    import re

    from django.core import mail

    (path,) = invite("rene@example.test")
    first = Client()
    first.post(path)
    code = code_of(first)
    mail.outbox.clear()
    later = Client()
    where = f"/hour/{code}/screener/"
    assert later.get(where).url == f"/hour/?next={where}"
    page = later.get(f"/hour/?next={where}").content.decode()
    ask = re.search(r'href="(/account/[^"]*code[^"]*)"', page).group(1)
    answer = later.post(ask.split("?")[0], {"email": "Rene@Example.test", "next": where})
    assert answer.status_code == 302
    (letter,) = mail.outbox
    assert letter.to == ["rene@example.test"]
    sent = next(word for word in letter.body.split() if re.fullmatch(r"[A-Z0-9-]{6,}", word))
    assert later.post(answer.url, {"code": sent}, follow=True).redirect_chain[-1][0] == where
    assert code_of(later) == code
