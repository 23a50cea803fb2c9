"""A whole hour, every response kept: no right answer before it is opened, no word of M7 before the lock (M7, M8)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from django.core import mail

from study.assignment.models import Visit
from study.benchmark.flows import exported, import_instances
from study.benchmark.models import Instance
from study.fieldwork import requesting
from study.people.mail.letters import send_one
from study.people.ways import invitations
from study.people.ways.tokens import make_token
from study.sandbox.desks import open_desk
from study.sandbox.models import Purpose
from tests.fieldwork.hour import SECRET, Hour, make_small_org
from tests.fieldwork.leaks import Listening, Response, Search, times, words
from tests.people.walk import GOOD, agree, code_of

pytestmark = pytest.mark.django_db
QUERY, PERSONA = "Return only the Id", "You are quality-focused"


@pytest.fixture
def org(db):
    """The small Org with its instances as a published file has them: the answer stands in query and persona too."""
    made = make_small_org()
    records = exported(Instance.objects.all())
    for record in records:
        gold = record["answer"][0]
        record["query"] = f"{record['question']} {QUERY}, such as {gold}."
        record["persona"] = f"{PERSONA}; you know that it is {gold}."
    Instance.objects.all().delete()
    import_instances(json.dumps(records), made, source="published.json")
    assert Instance.objects.filter(query__contains=QUERY, persona__contains=PERSONA).count() == len(records)
    return made


def in_the_work(hour: Hour, n: int) -> None:
    """One question by all its pages: lists, a record, a search, saves, notes, pins, a typed Id, answers in vain."""
    attempt = hour.attempt(n)
    desk = f"/crm/{attempt.desk.code}/"
    wanted = attempt.place.instance.answer_object or "Case"
    for page in ("", f"o/{wanted}/", "search/?q=tent", "report/Case/", "favourites/", "o/Case/?sort=-CreatedDate"):
        hour.get(desk + page)
    golds = golds_of(hour.visit)
    other = next(one for one in ids_in(hour.client.heard[-1].text, desk) if one not in golds)
    hour.get(f"{desk}r/{other}/")
    hour.get(f"work/{n}/")
    hour.get(f"work/{n}/resolve/?id={other}")
    hour.save(f"attempt/{n}", {"answer": [other], "none": False, "withheld": False, "confidence": 50})
    hour.save(f"scratch/{n}", "12 * 4")
    hour.post(f"work/{n}/note/", {"note": "Look again.", "note_record": other})
    hour.post(f"work/{n}/pin/", {"pin": other})
    hour.get(f"work/{n}/kept/")
    hour.post(f"work/{n}/answer/", {"act": "next", "answer": "x"})
    if n == 3:
        hour.post(f"work/{n}/answer/", {"act": "skip", "reason": "unclear"})
    else:
        hour.post(f"work/{n}/answer/", {"act": "next", "mark": "none", "confidence": "50"})
    hour.get(f"work/{n}/after/")
    hour.after(n)


def ids_in(text: str, desk: str) -> list[str]:
    return [part.partition("/")[0] for part in text.split(f'href="{desk}r/')[1:]]


def golds_of(visit: Visit) -> frozenset[str]:
    """The Ids that answer this person's own questions."""
    answers = [value for place in visit.places.all() for value in place.instance.answer]
    return frozenset(str(one) for one in answers if one and len(str(one)) == 18)


def up_to_the_work(cohort) -> Hour:
    """From the letter to the start of the work, with everything the orientation has."""
    (one,) = invitations.invite(cohort, "rene@example.test", by=None)
    for letter in one.letters.all():
        send_one(letter.pk)
    client = Listening()
    link = f"/i/{make_token(one, one.invitation.created_at)}/"
    client.get(link)
    client.post(link)
    hour = Hour(code_of(client), client)
    hour.get("screener/")
    hour.post("screener/", {"S1": "never"} | {"S2": []})
    hour.post("screener/", GOOD)
    hour.get("consent/")
    agree(client, hour.code)
    hour.get("consent/copy/")
    hour.get("orientation/")
    desk = hour.post("orientation/moves/find/start/")["Location"]
    hour.get(desk)
    hour.get("orientation/moves/")
    hour.post("orientation/moves/find/help/")
    hour.post("orientation/check/", {"records": "false", "none": "false", "pay": "true"})
    hour.orient()
    return hour


@pytest.fixture
def hour(cohort) -> Hour:
    """The whole hour of somebody who opens no right answer."""
    hour = up_to_the_work(cohort)
    hour.get("work/")
    hour.open_question()
    for n in range(1, 6):
        in_the_work(hour, n)
    for page in ("data/", "data/file/", "help/", "pause/", "computer/", "privacy/"):
        hour.get(page)
    hour.post("help/", {"kind": "unclear", "words": "What is meant?"})
    hour.get("help/")
    hour.post("go-on/")
    hour.get("ratings/", follow=True)
    hour.rate("Org")
    for api in hour.visit.object_order:
        hour.get(f"ratings/{api}/")
        hour.look(api)
        hour.get(f"ratings/{api}/seen/")
        hour.save(f"rating/{api}", {"choice": "4", "reason": ""})
        hour.get(f"ratings/{api}/evidence/?side=right")
        hour.rate(api, "4")
    hour.get("lock/")
    hour.client.heard.append(LOCK)
    hour.lock()
    hour.close()
    hour.get("debrief/")
    hour.finish()
    hour.get("data/")
    return hour


LOCK = Response("LOCK", "", 0, "")


@pytest.fixture
def search(hour, ada, org) -> Search:
    """Looks for this person's gold Ids; a desk of Ada's without any question shows what is the Org's own."""
    own = Listening()
    own.force_login(ada)
    desk = open_desk(org=org, user=ada, purpose=Purpose.STAFF, study=hour.participant.study)

    def same_page(address: str) -> str:
        rest = address.split("/", 3)[3]
        return own.get(f"/crm/{desk.code}/{rest}").content.decode()

    drawn = {one for row in hour.visit.ratings.all() for one in row.look_ids} | {
        m.record for m in hour.visit.moves.all()
    }
    return Search(golds_of(hour.visit), same_page, frozenset(drawn))


def letters() -> list[Response]:
    return [Response("MAIL", one.subject, 0, f"{one.subject}\n{one.body}\n{one.message()}") for one in mail.outbox]


def test_no_gold_id_and_no_word_of_origin_in_any_response(hour, search, monkeypatch):
    """0 hits, printed; and each planted leak is found."""
    heard, written = [one for one in hour.client.heard if one is not LOCK], letters()
    before = [*hour.client.heard[: hour.client.heard.index(LOCK)], *written]
    assert hour.participant.end == "complete"
    assert len(heard) > 150
    assert search.golds
    listed = sum(bool(times(gold, one.text)) for one in heard if one.of_the_sandbox for gold in search.golds)
    assert listed > 0, "no list had a right answer among its rows, so nothing was put to the test"
    leaks, said = search.leaks([*heard, *written]), words(before)
    print(f"{len(heard)} responses and {len(written)} letters: {len(leaks)} gold Ids, {len(said)} words")
    assert (leaks, said) == ([], [])
    for one in [*heard, *written]:
        assert not any(text in one.all for text in (QUERY, PERSONA, SECRET)), one.address

    gold = sorted(search.golds - search.drawn - search.seen)[0]
    page = next(one for one in heard if one.of_the_sandbox and "work" in one.text)
    saved = next(one for one in heard if one.address.endswith("/save/"))
    planted = {
        "dock": replace(page, text=page.text.replace("</body>", f'<aside data-x="{gold}"></aside></body>')),
        "short": replace(saved, text=f'{{"next": "{gold[:15]}"}}'),
        "header": replace(saved, head=f"{saved.head}\nX-Key: {gold}"),
        "redirect": replace(saved, head=f"Location: /crm/x/r/{gold}/"),
        "letter": replace(written[0], text=f"The record is {gold}."),
    }
    for name, one in planted.items():
        assert [found for found, _at in search.leaks([one])] == [gold], name
    for text in ("<title>A synthetic Org</title>", '<p class="llm">', "Set-Cookie: simulated=1", "a benchmark"):
        assert words([replace(saved, text=text)]), text


def test_a_leak_in_the_dock_itself_is_found(cohort, org, ada, monkeypatch):
    """The damage is done where it would happen: in the text of the question."""
    real = requesting.question_text
    monkeypatch.setattr(
        requesting, "question_text", lambda attempt: f"{real(attempt)} {attempt.place.instance.answer[0]}"
    )
    hour = up_to_the_work(cohort)
    Instance.objects.filter(places__visit=hour.visit).update(answer=["005Hy0000000001IAA"])
    hour.get(hour.open_question())
    search = Search(golds_of(hour.visit), lambda address: "")
    assert search.golds == {"005Hy0000000001IAA"}
    assert {gold for gold, _at in search.leaks(hour.client.heard)} == search.golds
