"""P-44: versions of the consent, who is asked again, what stays as it is, and what can be chosen later."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.html import escape

from study.people.consenting.consent import agreed, record
from study.people.models import Consent, ConsentChoice, Participant, StageEvent, Unchangeable
from study.protocols.flows import freeze_protocol, import_protocol
from study.protocols.library import builtin_text
from study.protocols.problems import ProtocolInvalid
from tests.people.walk import TICKS, agree, to_consent

pytestmark = pytest.mark.django_db
V1 = builtin_text("realia-hour")
MATERIAL = V1.replace('version: "1"\n  title: Before', 'version: "2"\n  change: material\n  title: Before').replace(
    "There are no right answers to aim for", "There are no right answers at all"
).replace("It is not a test of you.", "It is not a test of you, nor of anybody.")  # fmt: skip
EDITORIAL = MATERIAL.replace('version: "2"\n  change: material', 'version: "3"\n  change: editorial').replace(
    "nor of anybody.", "nor of anybody else."
)


def next_protocol(study, cohort, text):
    """Freeze a further version and let the cohort take it on."""
    from study.people.consenting.adopting import adopt

    frozen = freeze_protocol(import_protocol(study, text, None), None, with_gaps=True)
    cohort.refresh_from_db()
    adopt(cohort, frozen.number, by=None)
    return frozen


def begun(client, path):
    code = to_consent(client, path)
    agree(client, code)
    return Participant.objects.get(code=code)


def test_a_material_change_stops_everybody_and_an_editorial_one_nobody(study, cohort, invite):
    first, second = invite("a@example.test", "b@example.test")
    a, b = Client(), Client()
    one, other = begun(a, first), to_consent(b, second)
    base, old = f"/hour/{one.code}", Consent.objects.get()
    sha = b.get(f"/hour/{other}/consent/").context["sha256"]
    before = Consent.objects.values().get()
    next_protocol(study, cohort, MATERIAL)
    # A is stopped wherever they go, on pages and at the desk, and told that all is saved.
    for page in ("/", "/orientation/", "/work/", "/ratings/", "/closing/"):
        assert a.get(base + page).url == f"{base}/consent/again/", page
    assert a.get("/hour/").url == f"{base}/consent/again/"
    assert a.post(f"{base}/orientation/practice/", {"practice": "7"}).url == f"{base}/consent/again/"
    shown = a.get(f"{base}/consent/again/")
    assert "nor of anybody." in shown.content.decode()
    assert "checked" not in shown.content.decode()
    # What B has open is v1; B is shown v2 and nothing is stored.
    refused = b.post(f"/hour/{other}/consent/", {"statement": TICKS, "sha256": sha})
    assert refused.status_code == 409
    assert "nor of anybody." in refused.content.decode()
    assert not Participant.objects.get(code=other).consents.exists()
    # The same for A: an old text, then half the ticks, then all.
    assert a.post(f"{base}/consent/again/", {"statement": TICKS, "sha256": old.sha256}).status_code == 409
    sent = {"statement": TICKS[:2], "sha256": shown.context["sha256"]}
    assert a.post(f"{base}/consent/again/", sent).status_code == 422
    for _twice in range(2):
        assert a.post(f"{base}/consent/again/", sent | {"statement": TICKS}).url == f"{base}/orientation/"
    # The record of v1 is as it was; v2 is a record of its own.
    assert Consent.objects.filter(pk=old.pk).values().get() == before
    assert list(one.consents.order_by("pk").values_list("version", "protocol_number")) == [("1", 1), ("2", 2)]
    next_protocol(study, cohort, EDITORIAL)
    assert a.get("/hour/").url == f"{base}/orientation/"
    assert a.get(f"{base}/consent/again/").url == f"{base}/orientation/"
    assert one.consents.count() == 2
    # The visit keeps the protocol it began with, and the export names the versions.
    assert one.visits.get().protocol.number == 1
    from study.results.frames import frames

    row = next(row for row in frames(study, blind=True).tables["participants"] if row["code"] == one.code)
    assert [text.split(":")[0] for text in row["consent_versions"]] == ["1", "2"]


def test_an_editorial_change_after_a_material_one_still_asks_those_who_missed_it(study, cohort, invite):
    (path,) = invite("a@example.test")
    client = Client()
    one = begun(client, path)
    freeze_protocol(import_protocol(study, MATERIAL, None), None)
    next_protocol(study, cohort, EDITORIAL)
    again = f"/hour/{one.code}/consent/again/"
    assert client.get("/hour/").url == again
    shown = client.get(again)
    assert "nor of anybody else." in shown.content.decode()
    client.post(again, {"statement": TICKS, "sha256": shown.context["sha256"]})
    assert list(one.consents.order_by("pk").values_list("version", flat=True)) == ["1", "3"]
    assert client.get("/hour/").url == f"/hour/{one.code}/orientation/"


def test_what_is_on_its_way_when_the_text_changes_is_kept(study, cohort, invite):
    (path,) = invite("a@example.test")
    client = Client()
    one = begun(client, path)
    Participant.objects.filter(pk=one.pk).update(stage="locked")
    next_protocol(study, cohort, MATERIAL)
    visit, again = one.visits.get(), f"/hour/{one.code}/consent/again/"
    sent = {"value": {"trouble": ["Lost."]}, "base": 0, "save_id": "save-in-flight-1", "participant": visit.owner}
    answer = client.post(
        f"/hour/{one.code}/save/", json.dumps(sent | {"field": "closing/trouble"}), content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    assert answer.json()["next"] == again
    # A page without scripts brings all it holds only now.
    form = {"visit": visit.owner, "one_change": "Fewer tabs.", "trouble": "Lost."}
    assert client.post(f"/hour/{one.code}/closing/hour/", form).url == again
    kept = dict(visit.closing.values_list("item", "value"))
    assert (kept["trouble"], kept["one_change"]) == ("Lost.", "Fewer tabs.")
    assert "What you sent is saved." in client.get(again).content.decode()


def test_whoever_does_not_agree_to_the_new_text_leaves_with_a_choice_and_their_code(study, cohort, invite):
    (path,) = invite("a@example.test")
    client = Client()
    one = begun(client, path)
    next_protocol(study, cohort, MATERIAL)
    leave = f"/hour/{one.code}/leave/"
    assert leave in client.get(f"/hour/{one.code}/consent/again/").content.decode()
    assert client.get(leave).status_code == 200
    assert client.post(leave).status_code == 422
    client.post(leave, {"data": "take_out"})
    one.refresh_from_db()
    assert (one.end, one.data_choice, bool(one.completion_code)) == ("withdrawn", "take_out", True)
    assert client.get(f"/hour/{one.code}/consent/again/").url == f"/hour/{one.code}/ended/"


def test_a_record_of_consent_is_never_written_again(cohort, invite):
    (path,) = invite("a@example.test")
    one = begun(Client(), path)
    row = one.consents.get()
    row.options = {}
    for act in (row.save, lambda: Consent.objects.update(text=""), lambda: one.consents.update(options={})):
        with pytest.raises(Unchangeable):
            act()
    assert Consent.objects.filter(pk=row.pk).get().options
    # Somebody who left and joins again agrees again: a record of its own.
    StageEvent.objects.create(participant=one, stage="joined")
    from study.people.protocol import file_of, protocol_of

    again = record(one, protocol_of(cohort), file_of(protocol_of(cohort)), [*TICKS, "quotations"])
    assert again.pk != row.pk
    assert again.sha256 == row.sha256
    assert not Consent.objects.get(pk=row.pk).options["quotations"]


def test_optional_consents_are_given_and_taken_back_later(cohort, invite):
    (path,) = invite("a@example.test")
    client = Client()
    one = begun(client, path)
    page, act = f"/hour/{one.code}/privacy/", f"/hour/{one.code}/consent/choice/"
    assert client.get(page).content.decode().count("You don't allow this.") == 4
    for given in ("yes", "yes", "no", "yes"):
        assert client.post(act, {"option": "typing", "given": given}).url == page
        assert agreed(one, "typing") is (given == "yes")
    assert list(ConsentChoice.objects.values_list("given", flat=True)) == [True, False, True]
    assert client.post(act, {"option": "made_up", "given": "yes"}).status_code == 404
    assert client.post(act, {"option": "informed", "given": "no"}).status_code == 404
    assert client.get(f"/hour/{one.code}/data/").content.decode().count("given later") == 2
    client.post(f"/hour/{one.code}/leave/", {"data": "keep"})
    client.post(act, {"option": "typing", "given": "no"})
    assert not agreed(one, "typing")
    assert one.consents.count() == 1


def test_the_copy_is_a_page_and_a_pdf_in_the_persons_language_with_their_words_as_typed(study, org, ada):
    from study.assignment.flows import open_cohort
    from study.people.consenting.consent_copy import copy_of
    from study.people.sample.cohorts import create_cohort
    from study.people.ways.invitations import invite as act
    from study.people.ways.tokens import make_token
    from tests.people.walk import freeze

    odd = 'About #panic("x") the $records$ *and* _more_ \\ @b'
    freeze(study, V1.replace("heading: About the records", f"heading: '{odd}'"))
    cohort = create_cohort(study, code="n", name="N", arm="main", target=10, contact_email="n@example.test", by=None)
    open_cohort(cohort, by=None)
    (invited,) = act(cohort, "a@example.test", by=None)
    client = Client()
    one = begun(client, f"/i/{make_token(invited, invited.invitation.created_at)}/")
    row = one.consents.get()
    assert escape("#panic") in client.get(f"/hour/{one.code}/consent/copy/").content.decode()
    pages = [client.get(f"/hour/{one.code}/consent/copy/{row.pk}/pdf/") for _twice in range(2)]
    assert pages[0]["Content-Type"] == "application/pdf"
    assert pages[0].content == pages[1].content
    assert pages[0].content.startswith(b"%PDF-")
    assert row.sha256 in copy_of(row).foot
    assert any("#panic" in str(block) for block in copy_of(row).blocks)
    assert Client().get(f"/hour/{one.code}/consent/copy/{row.pk}/pdf/").status_code != 200


def test_a_version_is_one_text_and_a_text_one_version(study):
    """A changed text under an old name, or an old text under a new name, is not frozen."""
    freeze_protocol(import_protocol(study, V1, None), None)
    for text in (
        V1.replace("It is not a test of you.", "It is a test of nobody."),
        V1.replace('version: "1"\n  title: Before', 'version: "9"\n  title: Before'),
    ):
        with pytest.raises(ProtocolInvalid, match=r"consent\.version"):
            freeze_protocol(import_protocol(study, text, None), None)
    out = StringIO()
    with pytest.raises(Exception, match="1 errors"):
        call_command("protocol_check", study.code, stdout=out)
    assert "very text of the consent is version 1" in out.getvalue()
    assert freeze_protocol(import_protocol(study, MATERIAL, None), None).number == 2
