"""org_verify passes an Org as it was made, and names what is wrong with one that was damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.generator.truth import keep_truth, truth_path
from study.generator.verify.likeness import Likeness
from study.generator.verify.mentions import Mentions, shape
from study.generator.verify.report import Report, verify
from study.generator.verify.wording import opening, sentences, skeleton, written
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.orgs import register_org
from tests.generator.quality.small_org import SmallOrg, failed, write_info
from tests.sandbox.fixtures.atlas import atlas_snapshot

DAY = timedelta(days=1)
Damage = Callable[[SmallOrg], None]
DAMAGES: dict[str, tuple[Damage, str]] = {}


def damage(check: str) -> Callable[[Damage], Damage]:
    """Registers a way to damage an Org and the check that must fail."""

    def registered(function: Damage) -> Damage:
        DAMAGES[function.__name__] = (function, check)
        return function

    return registered


@damage("lookups.resolve")
def a_dangling_lookup(org: SmallOrg) -> None:
    org.first("Case")["AccountId"] = make_id("001", 17)


@damage("lookups.kind")
def a_lookup_of_another_object(org: SmallOrg) -> None:
    org.first("EmailMessage", ParentId=...)["ParentId"] = org.first("Contact")["Id"]


@damage("lookups.recipients")
def a_letter_to_nobody(org: SmallOrg) -> None:
    org.first("EmailMessage")["ToIds"] = make_id("003", 17)


@damage("time.history_in_life_of_case")
def history_before_its_case(org: SmallOrg) -> None:
    row = org.first("CaseHistory__c")
    row["CreatedDate"] = org.row("Case", row["CaseId__c"])["CreatedDate"] - DAY


@damage("time.case_closed_after_created")
def closed_before_opened(org: SmallOrg) -> None:
    case = org.first("Case", ClosedDate=...)
    case["ClosedDate"] = case["CreatedDate"] - DAY


@damage("time.owner_is_last_assignment")
def an_owner_nobody_made_one(org: SmallOrg) -> None:
    case = org.first("Case")
    case["OwnerId"] = next(user["Id"] for user in org.all("User", IsActive=True) if user["Id"] != case["OwnerId"])


@damage("time.history_in_order")
def an_assignment_from_somebody_else(org: SmallOrg) -> None:
    row = org.first("CaseHistory__c", Field__c="Owner Assignment", OldValue__c=None)
    row["OldValue__c"] = org.first("User")["Id"]


@damage("time.quote_after_opportunity")
def a_quote_before_its_opportunity(org: SmallOrg) -> None:
    quote = org.first("Quote")
    quote["CreatedDate"] = org.row("Opportunity", quote["OpportunityId"])["CreatedDate"] - DAY


@damage("time.contract_after_accepted_quote")
def a_contract_before_its_quote(org: SmallOrg) -> None:
    deal = org.first("Opportunity", ContractID__c=..., Probability=100)
    signed = org.row("Contract", deal["ContractID__c"])
    signed["CompanySignedDate"] = signed["CustomerSignedDate"] = deal["CreatedDate"].date() - DAY


@damage("time.order_after_signature")
def an_order_before_the_signature(org: SmallOrg) -> None:
    order = org.first("Order", ContractId=...)
    order["EffectiveDate"] = org.row("Contract", order["ContractId"])["CompanySignedDate"] - DAY


@damage("time.letters_in_life_of_case")
def a_letter_years_later(org: SmallOrg) -> None:
    letter = next(
        row for row in org.all("EmailMessage", ParentId=...) if org.row("Case", row["ParentId"]).get("ClosedDate")
    )
    case = org.row("Case", letter["ParentId"])
    for field in ("CreatedDate", "ClosedDate"):
        case[field] -= 400 * DAY


@damage("time.calls_in_life_of_opportunity")
def a_call_before_its_opportunity(org: SmallOrg) -> None:
    call = org.first("VoiceCallTranscript__c", OpportunityId__c=...)
    begun = org.row("Opportunity", call["OpportunityId__c"])["CreatedDate"]
    call["CreatedDate"], call["EndTime__c"] = begun - DAY, begun - DAY + timedelta(minutes=5)


@damage("time.nothing_after_the_last_day")
def a_record_of_tomorrow(org: SmallOrg) -> None:
    letter = max(org.all("EmailMessage", MessageDate=...), key=lambda row: row["MessageDate"])
    letter["MessageDate"] += 5 * DAY


@damage("time.leavers_hold_nothing_open")
def a_case_with_one_who_left(org: SmallOrg) -> None:
    case = org.first("Case", ClosedDate=None)
    org.row("User", case["OwnerId"])["IsActive"] = False


@damage("formats.ids")
def a_wrong_checksum(org: SmallOrg) -> None:
    task = org.first("Task")
    task["Id"] = task["Id"][:15] + ("AAA" if task["Id"][15:] != "AAA" else "BBB")


@damage("formats.names")
def a_placeholder_for_a_name(org: SmallOrg) -> None:
    org.first("Contact")["LastName"] = "Placeholder"


@damage("formats.addresses")
def an_address_without_a_host(org: SmallOrg) -> None:
    org.first("Contact", Email=...)["Email"] = "somebody@"


@damage("formats.picklists")
def a_stage_that_does_not_exist(org: SmallOrg) -> None:
    org.first("Lead")["Status"] = "Pondering"


@damage("formats.money")
def a_third_decimal(org: SmallOrg) -> None:
    org.first("Opportunity", Amount=...)["Amount"] += 0.005


@damage("plausible.quote_line_total")
def a_total_that_is_no_product(org: SmallOrg) -> None:
    org.first("QuoteLineItem")["TotalPrice"] += 10


@damage("plausible.order_total")
def an_order_that_is_no_sum(org: SmallOrg) -> None:
    org.first("Order", TotalAmount=...)["TotalAmount"] += 10


@damage("plausible.quote_price_of_entry")
def a_price_of_no_price_book(org: SmallOrg) -> None:
    line = org.first("QuoteLineItem", Discount=...)
    line["UnitPrice"] += 1
    line["TotalPrice"] = round(line["Quantity"] * line["UnitPrice"] * (1 - line["Discount"] / 100), 2)


@damage("plausible.discounts")
def a_discount_of_more_than_all(org: SmallOrg) -> None:
    org.first("QuoteLineItem")["Discount"] = 130.0


@damage("plausible.probability")
def a_closed_deal_at_half(org: SmallOrg) -> None:
    org.first("Opportunity", StageName="Closed")["Probability"] = 50.0


@damage("texts.copies")
def a_copy_of_a_letter(org: SmallOrg) -> None:
    long = sorted(org.all("EmailMessage", TextBody=...), key=lambda row: len(row["TextBody"]))
    long[-2]["TextBody"] = long[-1]["TextBody"]


@damage("texts.openings")
def the_same_opening_everywhere(org: SmallOrg) -> None:
    for letter in org.all("EmailMessage", TextBody=...):
        letter["TextBody"] = "I hope this finds you well. " + letter["TextBody"]


@damage("texts.skeletons")
def one_mould_for_all_tasks(org: SmallOrg) -> None:
    for n, task in enumerate(org.all("Task", Description=...)):
        task["Description"] = (
            f"Please call the customer about the offer of {n} Units in time and write down the result."
        )


@damage("texts.own_order_numbers")
def an_order_of_another_case(org: SmallOrg) -> None:
    letter = next(row for row in org.all("EmailMessage", ParentId=...))
    case = org.row("Case", letter["ParentId"])
    other = next(row for row in org.all("Order", OrderNumber=...) if row["AccountId"] != case["AccountId"])
    letter["TextBody"] = f"This is about {other['OrderNumber']}.\n" + letter["TextBody"]


@damage("fingerprints.slots")
def an_unfilled_slot(org: SmallOrg) -> None:
    letter = org.first("EmailMessage", TextBody=...)
    letter["TextBody"] = "Thank you for {product}. " + letter["TextBody"]


@damage("fingerprints.placeholders")
def a_nothing_written_out(org: SmallOrg) -> None:
    org.first("Task", Description=...)["Description"] += " Contact: None"


@damage("fingerprints.origin")
def a_word_of_machines(org: SmallOrg) -> None:
    org.first("Case", Description=...)["Description"] += " As an AI I cannot say more."


@damage("facts.answers")
def an_answer_gone_from_its_article(org: SmallOrg) -> None:
    fact = org.fact("article", answer=...)
    row = org.row("Knowledge__kav", fact.of)
    for field in ("FAQ_Answer__c", "Summary"):
        if row.get(field):
            row[field] = row[field].replace(fact.values["answer"], "something")


@damage("facts.said")
def what_a_lead_said_cut_out(org: SmallOrg) -> None:
    calls = {row["Id"]: row for row in org.all("VoiceCallTranscript__c", LeadId__c=...)}
    fact = next(f for f in org.facts if f.kind == "said" and f.of in calls)
    calls[fact.of]["Body__c"] = calls[fact.of]["Body__c"].replace(fact.values["text"], "well")


@damage("facts.said")
def another_amount_than_was_said(org: SmallOrg) -> None:
    fact = next(f for f in org.facts if f.kind == "said" and "$" in str(f.values["text"]))
    org.tell_instead(fact, text="$1,234,567")


@damage("facts.violations")
def a_policy_broken_in_another_case(org: SmallOrg) -> None:
    fact = org.fact("violation", article=...)
    for name, record_id in fact.evidence:
        row = org.row(name, record_id)
        lookup = "ParentId" if name == "EmailMessage" else "CaseId"
        other = next(case["Id"] for case in org.all("Case") if case["Id"] != fact.of)
        row[lookup] = other
        if name == "EmailMessage":
            row["RelatedToId"] = other


@damage("facts.configurations")
def a_broken_quote_told_sound(org: SmallOrg) -> None:
    org.tell_instead(org.fact("configuration", article=...), article=None)


@damage("facts.stages")
def a_stage_no_task_tells(org: SmallOrg) -> None:
    fact = next(f for f in org.facts if f.kind == "stage" and f.values["recorded"] == "Qualification")
    org.tell_instead(fact, true="Negotiation" if fact.values["true"] != "Negotiation" else "Quote")


@damage("facts.guide")
def a_task_the_guide_does_not_know(org: SmallOrg) -> None:
    org.first("Task")["Subject"] = "Something else altogether"


@pytest.fixture(scope="module")
def report(sound: tuple[Snapshot, Path]) -> Report:
    return verify(*sound)


def test_an_undamaged_org_passes(report: Report) -> None:
    assert failed(report) == {}
    made = {check.name for check in report.checks if not check.skipped}
    assert made >= {check for _, check in DAMAGES.values()}
    assert len(DAMAGES) >= 15


@pytest.mark.parametrize("name", sorted(DAMAGES))
def test_every_damage_is_named(name: str, small: SmallOrg, tmp_path: Path) -> None:
    spoil, check = DAMAGES[name]
    spoil(small)
    # Only the checks of its kind: nearly forty Orgs are looked at here.
    found = failed(verify(*small.write(tmp_path), groups=[check.partition(".")[0]]))
    assert check in found, (name, sorted(found))
    assert found[check], "no example is given"


def test_figures_are_told_for_every_text_field(report: Report) -> None:
    told = {one.name: one for one in report.variety}
    assert {"EmailMessage.TextBody", "VoiceCallTranscript__c.Body__c", "Task.Description"} <= told.keys()
    letters = told["EmailMessage.TextBody"]
    assert 0 < letters.distinct_pairs <= 1
    assert 0 < letters.median <= letters.p95


def test_an_org_without_truth_says_what_was_not_checked(sound: tuple[Snapshot, Path]) -> None:
    report = verify(sound[0])
    skipped = {check.name: check.skipped for check in report.checks if check.skipped}
    assert {name for name in skipped if name.startswith("facts.")} >= {"facts.said", "facts.answers", "facts.stages"}
    assert "no truth file" in skipped["facts.said"]
    assert failed(report) == {}


def test_an_org_from_elsewhere_is_checked_by_what_it_has(tmp_path: Path) -> None:
    """The atlas Org has odd cases on purpose, and no rules of ours hold for its addresses and states."""
    report = verify(atlas_snapshot(tmp_path))
    found = failed(report)
    assert "lookups.resolve" in found
    assert "formats.states" not in found
    assert any(check.name == "formats.states" and check.skipped for check in report.checks)


@pytest.mark.django_db
def test_the_command_exits_with_what_failed(
    small: SmallOrg, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.REALIA_VAR = tmp_path / "var"
    for name, spoil in (("sound", None), ("spoilt", an_unfilled_slot)):
        if spoil is not None:
            spoil(small)
        folder = tmp_path / name
        folder.mkdir()
        snapshot, truth = small.write(folder)
        info = write_info(snapshot)
        register_org(info, name)
        keep_truth(truth, info.hash)
        assert truth_path(info.hash).is_file()
    call_command("org_verify", "sound", out=tmp_path / "card")
    assert "failed, " in capsys.readouterr().out
    page = (tmp_path / "card" / "data-card.html").read_text()
    assert "<svg" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    card = (tmp_path / "card" / "data-card.md").read_text()
    numbers = sorted((tmp_path / "card" / "csv").glob("*.csv"))
    assert len(numbers) > 20
    assert all(f"csv/{path.name}" in card for path in numbers if path.name != "checks.csv")
    assert "intended %" in (tmp_path / "card" / "csv" / "lead-by-weekday.csv").read_text()
    with pytest.raises(CommandError, match=r"fingerprints\.slots") as stopped:
        call_command("org_verify", "spoilt", json=True)
    assert stopped.value.returncode == 1
    told = json.loads(capsys.readouterr().out)
    assert told["passed"] is False
    assert {check["name"] for check in told["checks"] if not check["passed"]} == {"fingerprints.slots"}
    with pytest.raises(CommandError, match="nobody"):
        call_command("org_verify", "nobody")


def test_near_duplicates_are_found_exactly() -> None:
    likeness = Likeness()
    words = [f"w{n}" for n in range(60)]
    likeness.add("a", words)
    likeness.add("b", [*words[:50], *(f"x{n}" for n in range(10))])  # 48 of 68 shingles
    likeness.add("c", [*words[:30], *(f"y{n}" for n in range(30))])  # 28 of 88
    likeness.add("d", [f"z{n}" for n in range(60)])
    assert likeness.alike == {"a": "b", "b": "a"}


def test_greetings_quotes_and_speakers_are_left_out() -> None:
    letter = (
        "Hi Maria,\n\nThe pump stopped on Friday. Please help.\n\nOn Thu, Jun 8, 2023 at 07:55, Ann wrote:\n> Dear all"
    )
    assert opening(sentences(written("EmailMessage", letter))) == "the pump stopped on friday."
    call = "Ann: Hello, this is Ann.\nBo: Hi Ann.\nAnn: You asked about the second sensor."
    assert written("VoiceCallTranscript__c", call) == ["You asked about the second sensor."]
    one = skeleton("Your order HE-24334 left Austin on May 22, Maria.", {"maria", "austin"})
    assert one == skeleton("Your order HE-24999 left Plano on June 3, Bo.", {"plano", "bo"})
    assert one != skeleton("Your order HE-24334 reached Austin on May 22.", {"austin"})


def test_running_numbers_are_known_by_their_shape() -> None:
    mentions = Mentions({"order": {shape("TC-O-10234")}, "case": {shape("00010228")}})
    text = "TC-O-10999 came late (case 00010555), $1,250.00 off, 12 % on May 3, 2025."
    assert mentions.numbers("order", text) == ["TC-O-10999"]
    found = mentions.of(text)
    assert (found["case"], found["amount"], found["percent"]) == ({"00010555"}, {"$1,250.00"}, {"12 %"})
    assert mentions.numbers("case", "call 5550100123 now") == []
