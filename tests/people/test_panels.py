"""People from panels: what their links say, one participant per id, and a code and a way back for each outcome."""

import logging
from types import SimpleNamespace

import pytest
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.test import Client

from study.people import flows
from study.people.models import Cohort, Contact, End, PanelArrival, Participant, Screening, Stage
from study.people.ways import arrivals
from study.people.ways.arrivals import read
from study.people.ways.panel_settings import renew_link, set_panel
from study.people.ways.panels import PRESETS, checked_settings, ending, panel_of
from study.quiet_log import HidesLinks
from tests.people.walk import GOOD, code_of

CODES = {key: f"C-{key}" for key in ("complete", "screened_out", "full", "no_consent", "withdrawn", "time_up")}


def settings_of(kind="other", **more):
    preset = PRESETS[kind]
    kept = {"kind": kind, "name": "", "id": preset.id, "study": preset.study, "session": preset.session}
    return kept | {"codes": CODES, "returns": {}} | more


def panel(kind="other", **more):
    return panel_of(SimpleNamespace(panel=settings_of(kind, **more)))


@pytest.mark.parametrize(
    ("kind", "query", "id", "flag"),
    [
        ("prolific", "PROLIFIC_PID=5e9088a8a4b6ed018b45ba7b&STUDY_ID=s1&SESSION_ID=t1", "5e9088a8a4b6ed018b45ba7b", ""),
        ("prolific", "prolific_pid=abc123&prolific_pid=abc123", "abc123", ""),
        ("prolific", "", "", "missing"),
        ("prolific", "PROLIFIC_PID=", "", "missing"),
        ("prolific", "PROLIFIC_PID={{%25PROLIFIC_PID%25}}", "", "placeholder"),
        ("prolific", "PROLIFIC_PID=[[%25PROLIFIC_PID%25]]", "", "placeholder"),
        ("prolific", "PROLIFIC_PID=PROLIFIC_PID", "", "placeholder"),
        ("prolific", "PROLIFIC_PID=one&PROLIFIC_PID=two", "", "doubled"),
        ("prolific", "PROLIFIC_PID=one&prolific_pid=two", "", "doubled"),
        ("connect", "participantId=AB12CD34&assignmentId=a&projectId=p", "AB12CD34", ""),
        ("connect", "participantId=undefined", "", "placeholder"),
        ("user_interviews", "participant_id=77812&invite_id=9", "77812", ""),
        ("other", "id=TEST-7", "TEST-7", ""),
        ("other", "id=%24%7BrespondentId%7D", "", "placeholder"),
    ],
)
def test_what_a_link_says(kind, query, id, flag):
    found = read(panel(kind), QueryDict(query))
    assert (found.id, found.flag) == (id, flag)
    again = read(panel(kind), _carried(found))
    assert (again.id, again.flag, again.values) == (found.id, found.flag, found.values)


def _carried(found):
    query = QueryDict(mutable=True)
    query["arrival"] = found.sealed()
    return query


def test_what_the_page_carries_can_be_neither_read_nor_changed():
    found = read(panel(), QueryDict("id=TEST-7"))
    assert "TEST-7" not in found.sealed()
    forged = QueryDict(mutable=True)
    forged["arrival"] = found.sealed()[:-4] + "AAAA"
    assert read(panel(), forged).id == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "nowhere"}, "Choose the panel"),
        ({"id": ""}, "Name the parameter"),
        ({"id": "a b"}, "cannot be the name"),
        ({"session": "PROLIFIC_PID"}, "same name"),
        ({"codes": {"complete": "A", "full": "A"}}, "same code"),
        ({"codes": {"complete": "A B"}}, "no blank"),
        ({"returns": {"complete": "http://app.prolific.com/x"}}, "https"),
        ({"returns": {"complete": "javascript:alert(1)"}}, "https"),
        ({"returns": {"complete": "https://evil.example/"}}, "Prolific is at"),
        ({"returns": {"complete": "https://prolific.com.evil.example/"}}, "Prolific is at"),
        ({"returns": {"complete": "https://app.prolific.com@evil.example/"}}, "no plain host"),
        ({"returns": {"complete": "https://{id}.prolific.com/"}}, "no plain host"),
        ({"returns": {"complete": "https://app.prolific.com/?x={name}"}}, "not known"),
        ({"returns": {"complete": "https://app.prolific.com/?x={code}"}, "codes": {}}, "needs a code"),
    ],
)
def test_settings_that_would_lead_people_astray_are_refused(change, said):
    with pytest.raises(ValidationError, match=said):
        checked_settings(settings_of("prolific") | change)


@pytest.fixture
def door(cohort):
    cohort.open_link = "opensesame"
    returns = {"complete": "https://panel.example.test/done?cc={code}&who={id}&s={session}"}
    returns["screened_out"] = "https://panel.example.test/out?cc={code}"
    set_panel(cohort, settings_of(returns=returns), by=None)
    Cohort.objects.filter(pk=cohort.pk).update(open_link="opensesame")
    return "/p/opensesame/"


def press(client, door, query="?id=TEST-7&session=s%26x", **more):
    page = client.get(door + query)
    form = {"once": page.context["once"], "arrival": page.context["carried"]}
    return client.post(door, form | more)


@pytest.mark.django_db
def test_one_participant_per_panel_id_wherever_they_come_back(door, cohort):
    """P-04, M18: same browser resumes, another opens nothing without the key, and after the end the page is theirs."""
    client, other = Client(), Client()
    assert client.get(door + "?id=TEST-7").status_code == 200
    assert not PanelArrival.objects.exists(), "opening stores nothing"
    where = press(client, door).url
    code = code_of(client)
    assert where == f"/hour/{code}/key/"
    key = client.get(where).context["key"]
    client.post(where)
    assert client.get(where).url == f"/hour/{code}/screener/", "the key is shown once"
    one = Participant.objects.get()
    assert (one.user.email, one.channel, one.contact.email, one.contact.panel_id) == (None, "panel", "", "TEST-7")

    assert client.get(door + "?id=TEST-7").url == f"/hour/{code}/screener/"
    assert client.get("/j/opensesame/?id=TEST-7").url == "/p/opensesame/?id=TEST-7", "no way round the id"
    answer = press(other, door, "?id=test-7")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert code not in page
    assert "_auth_user_id" not in other.session
    assert other.post("/hour/resume/", {"key": key}).url == f"/hour/{code}/screener/"
    assert code_of(other) == code

    client.post(f"/hour/{code}/screener/", GOOD)
    flows.end(Participant.objects.get(), End.COMPLETE)
    assert client.get(door + "?id=TEST-7").url == f"/hour/{code}/finish/"
    stranger = press(Client(), door)
    assert stranger.status_code == 409
    assert "C-complete" not in stranger.content.decode()
    assert Participant.objects.count() == Contact.objects.count() == 1
    assert list(PanelArrival.objects.order_by("pk").values_list("flag", flat=True)) == ["", "repeated", "repeated"]
    raw = PanelArrival.objects.extra(select={"raw": "parameters"}).values_list("raw", flat=True)
    assert "TEST-7" not in str(list(raw))


@pytest.mark.django_db
def test_a_double_press_and_two_tabs_make_one_participant(door, cohort, monkeypatch):
    """P-08: the same form twice is one person; another form with the same id is stopped by the database key."""
    client = Client()
    page = client.get(door + "?id=TEST-7")
    form = {"once": page.context["once"], "arrival": page.context["carried"]}
    first, second = Client(), Client()
    assert first.post(door, form).status_code == second.post(door, form).status_code == 302
    assert code_of(first) == code_of(second)
    # The other tab looked before the first one was stored.
    seen = iter([None])
    known = arrivals._known
    monkeypatch.setattr(arrivals, "_known", lambda mark: next(seen, None) or known(mark))
    assert press(Client(), door).status_code == 409
    assert Participant.objects.count() == 1


@pytest.mark.django_db
def test_an_id_that_is_missing_or_in_doubt_is_asked_for_and_flagged(door):
    for query, flag in (("", "missing"), ("?id={{PID}}", "placeholder"), ("?id=one&id=two", "doubled")):
        client = Client()
        page = client.get(door + query)
        assert 'name="panel_id"' in page.content.decode()
        assert not page.context["arrival"].id
        empty = press(client, door, query)
        assert empty.status_code == 422
        assert "Type the id" in empty.content.decode()
        mail = press(client, door, query, panel_id="rene@example.test")
        assert mail.status_code == 422, "M18: no address is asked for or taken"
        assert press(client, door, query, panel_id=f" typed-{flag} ").status_code == 302
        arrival = PanelArrival.objects.latest("pk")
        assert (arrival.flag, arrival.participant.contact.panel_id) == (flag, f"typed-{flag}")
        assert arrival.parameters["typed"] == "yes"


@pytest.mark.django_db
def test_parameters_survive_the_choice_of_language_and_stay_out_of_the_log(door, cohort):
    client = Client()
    page = client.get(door + "?id=TEST-7&session=s9", HTTP_ACCEPT_LANGUAGE="ar")
    languages = page.context["languages"]
    if languages:
        text = page.content.decode()
        assert "&amp;arrival=" in text
        assert "TEST-7" not in text.split('class="languages"')[1].split("</nav>")[0]
    chosen = client.get(door, {"lang": "en", "arrival": page.context["carried"]})
    assert chosen.context["arrival"].values == {"id": "TEST-7", "session": "s9"}
    line = logging.LogRecord("django.server", 20, "", 0, '"GET %s HTTP/1.1" 200', ("/p/opensesame/?id=TEST-7",), None)
    HidesLinks().filter(line)
    assert "TEST-7" not in line.getMessage()
    assert "opensesame" not in line.getMessage()


@pytest.mark.django_db
def test_a_panels_door_says_nothing_of_origin_and_is_shut_where_the_cohort_is(door, cohort, study):
    """M7, and P-12: whoever comes too late is told before any question."""
    from study.protocols.checks_texts import FORBIDDEN

    client = Client()
    pages = [client.get(door + "?id=TEST-7"), client.get(door), press(client, door, ""), press(client, door)]
    pages += [client.get(pages[-1].url), press(Client(), door)]
    for page in pages:
        text = page.content.decode()
        assert FORBIDDEN.findall(text) == []
        assert study.name not in text
    taken = Participant.objects.count()
    Cohort.objects.update(target=1)
    Participant.objects.update(stage=Stage.WORKING)
    late = Client()
    press(late, door, "?id=late")
    assert late.get(f"/hour/{code_of(late)}/").url.endswith("/ended/")
    assert "C-full" in late.get(f"/hour/{code_of(late)}/ended/").content.decode()
    page = Client().get(door + "?id=more")
    form = {"once": page.context["once"], "arrival": page.context["carried"]}
    for state, opened in (("paused", cohort.opened_at), ("draft", None)):
        Cohort.objects.update(state=state, opened_at=opened)
        assert Client().get(door + "?id=more").context.get("once") is None
        assert "_auth_user_id" not in (other := Client()).session
        assert other.post(door, form).status_code in (200, 409)
    assert Participant.objects.count() == taken + 1


@pytest.mark.django_db
def test_the_next_person_from_the_panel_at_one_machine_is_asked_first(door):
    """P-05: another id in the same browser is another person."""
    machine = Client()
    press(machine, door, "?id=first")
    before = code_of(machine)
    page = machine.get(door + "?id=second").content.decode()
    assert "Somebody else is signed in" in page
    assert before not in page
    assert press(machine, door, "?id=second").status_code == 409
    assert press(machine, door, "?id=second", switch="1").status_code == 302
    assert code_of(machine) != before
    assert Participant.objects.count() == 2


@pytest.mark.django_db
def test_each_outcome_has_its_code_and_way_back_and_says_nothing_of_the_rule(door, cohort):
    client = Client()
    press(client, door)
    code = code_of(client)
    assert client.post(f"/hour/{code}/screener/", GOOD | {"S1": "never"}).url == f"/hour/{code}/ended/"
    page = client.get(f"/hour/{code}/ended/").content.decode()
    assert "C-screened_out" in page
    assert 'href="https://panel.example.test/out?cc=C-screened_out"' in page
    one = Participant.objects.get()
    assert one.completion_code not in page
    assert "S1" not in page
    assert "never" not in page
    for end, name in (
        (End.FULL, "full"),
        (End.NO_CONSENT, "no_consent"),
        (End.LAPSED, "time_up"),
        (End.WITHDRAWN, "withdrawn"),
    ):
        Participant.objects.update(end=end)
        page = client.get(f"/hour/{code}/ended/").content.decode()
        assert f"C-{name}" in page
        assert "Back to" not in page, "this outcome has no way back"
    Participant.objects.update(end=End.COMPLETE)
    found = ending(Participant.objects.get())
    assert found.address == "https://panel.example.test/done?cc=C-complete&who=TEST-7&s=s%26x"
    set_panel(Cohort.objects.get(), settings_of(codes={}), by=None)
    Participant.objects.update(end=End.SCREENED_OUT)
    assert one.completion_code in client.get(f"/hour/{code}/ended/").content.decode(), (
        "a code of ours where none is set"
    )


@pytest.mark.django_db
def test_a_renewed_link_kills_the_old_one_and_keeps_who_is_in(door, cohort, study, ada, client):
    person = Client()
    press(person, door)
    client.force_login(ada)
    base = f"/studies/{study.code}/cohorts/north/"
    page = client.get(base + "panel/").content.decode()
    assert "/p/opensesame/?id=&amp;session=" in page
    client.post(base + "link/renew/", {"old": "opensesame"})
    new = Cohort.objects.get().open_link
    client.post(base + "link/renew/", {"old": "opensesame"})
    assert Cohort.objects.get().open_link == new != "opensesame", "a second press renews nothing"
    assert Client().get(door).status_code == 404
    assert person.get("/hour/").url == f"/hour/{code_of(person)}/screener/"
    assert not renew_link(cohort, old="", by=ada)
    form = {"kind": "prolific", "id": "PROLIFIC_PID", "code-complete": "C1"}
    refused = client.post(base + "panel/", form)
    assert refused.status_code == 422
    assert "Somebody has come" in refused.content.decode()
    client.post(base + "panel/remove/")
    assert Cohort.objects.get().panel["kind"] == "other"


@pytest.mark.django_db
def test_prolifics_address_is_ready_to_paste(cohort, study, ada, client):
    client.force_login(ada)
    base = f"/studies/{study.code}/cohorts/north/panel/"
    assert "Prolific" in client.get(base).content.decode()
    assert "PROLIFIC_PID" in client.get(base + "?kind=prolific").content.decode()
    form = {"kind": "prolific", "id": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
    form |= {"code-complete": "C1ABC", "return-complete": "https://app.prolific.com/submissions/complete?cc={code}"}
    assert client.post(base, form).status_code == 302
    text = client.get(base).content.decode()
    assert "?PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}" in text


@pytest.mark.django_db
def test_no_page_of_the_hour_opens_before_screener_and_consent(door):
    """P-11: every address of the hour, asked at the screener and after failing it; the first answers stand."""
    from django.urls import NoReverseMatch, reverse

    from tests.test_every_url import OWN, OWN_POST, RULES

    client = Client()
    press(client, door)
    code = code_of(client)
    client.post(f"/hour/{code}/key/")
    # What is theirs at any moment: ways to ask, to leave, and to their own data.
    free = {"hour_erase", "own_data_zip"} | {
        "hour_privacy",
        "leave",
        "to_computer",
        "help",
        "own_data",
        "own_data_file",
        "hour_key",
        "screener",
        "ended",
    }

    def opened(names):
        found = []
        for name in names:
            try:
                url = reverse(name, args=[code])
            except NoReverseMatch:  # it takes more than a code: a record, a number
                continue
            if url.startswith("/hour/") and client.get(url).status_code == 200:
                found.append(name)
        return set(found)

    hour = [name for name, rule in RULES.items() if rule in (OWN, OWN_POST)]
    assert len(hour) > 40
    assert opened(hour) <= free
    assert client.post(f"/hour/{code}/screener/", GOOD | {"S1": "never"}).status_code == 302
    assert client.post(f"/hour/{code}/screener/", GOOD).url == f"/hour/{code}/ended/"
    assert opened(hour) <= free
    one = Participant.objects.get()
    assert (one.end, one.stage) == (End.SCREENED_OUT, Stage.JOINED)
    assert [row.eligible for row in Screening.objects.order_by("number")] == [False, True]
    assert press(Client(), door).status_code == 409, "the same id elsewhere begins no second try"
