"""Words of customer care: they vary, stay with the facts, and a broken rule shows in exactly one letter or chat."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from study.generator import care
from study.generator.care.matters import Matters
from study.generator.care.wording import grammar_of, stands
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.facts import Fact
from study.generator.groundwork.phrases import LEFTOVER, Phrases
from study.generator.groundwork.things import Bought
from study.generator.verify.wording import opening, sentences, skeleton, words, written
from study.sandbox.gui.reading import mail_parts, turns

Made = tuple[Branch, list[Bought]]
Cared = Callable[..., Made]
WORLDS = ("service", "b2b", "b2c")
TEXTS = {"Case": "Description", "EmailMessage": "TextBody", "LiveChatTranscript": "Body"}
FINGERPRINTS = re.compile(r"lorem|ipsum|as an ai|todo|placeholder|xxx|\bnone\b|\bnan\b|<\w+>", re.IGNORECASE)


@pytest.fixture(scope="module", params=WORLDS)
def made(cared: Cared, request: pytest.FixtureRequest) -> Made:
    return cared(request.param)


def own_words(text: str) -> str:
    return "\n".join(part.text for part in mail_parts(text) if not part.quoted)


def facts(branch: Branch, kind: str) -> list[Fact]:
    return [fact for fact in branch.facts if fact.kind == kind]


def cases_of(branch: Branch) -> dict[str, dict]:
    return {case["Id"]: case for case in branch.tables["Case"]}


def test_no_slot_is_left_open(made: Made) -> None:
    branch, _ = made
    for name, field in TEXTS.items():
        for row in branch.tables[name]:
            text = own_words(row[field]) if name == "EmailMessage" else row[field]
            assert text.strip()
            assert not FINGERPRINTS.search(text), text
            bare = re.sub(r"\[\d{2}:\d{2}\]", "", text)
            assert not LEFTOVER.search(bare), text
            assert "  " not in bare, text
            assert not re.search(r" [,.;!?](\s|$)|,,|(?<![.?!])\.\.(?!\.)", bare), text


@pytest.mark.parametrize("world", WORLDS)
def test_every_phrase_of_a_world_can_be_said(cared: Cared, world: str) -> None:
    """Each alternative is parsed, and every slot that stands in a phrase is one that is filled."""
    branch, _ = cared(world)
    matters = Matters(branch.plan.material)
    grammar = grammar_of(branch.plan.material, matters)
    known = [
        *re.findall(r'"(\w+)":', source_of("wording.py")),
        "agent_first", "weekday", "full", "photo", "daytime", "rest", "step1", "step2", "clock", "caller", "subject",
        "temp", "cool", "diff", "amount", "gesture", "large",
    ]  # fmt: skip
    slots = dict.fromkeys(known, "x")
    phrases = Phrases(Draw(1, "every phrase"), grammar)
    for rule, options in grammar.rules.items():
        for option in options:
            assert phrases.one_of([option], slots), rule
    for issue in matters.issues:
        for side in sorted(set(grammar.rules[f"{issue.code} sides"])) or [""]:
            matter = f"{issue.code}/{side}" if side else issue.code
            for part in ("subject", "problem", "detail", "ask", "steps", "fix no"):
                assert grammar.rules[f"{matter} {part}"], (matter, part)
            for number in grammar.rules[f"{matter} step numbers"]:
                assert grammar.rules[f"{matter} result no {number}"], (matter, number)


def source_of(name: str) -> str:
    return (Path(care.__file__).parent / name).read_text()


def test_twelve_rules_of_care_and_ten_issues_at_least(made: Made) -> None:
    branch, _ = made
    entries = branch.plan.material.yaml("policies.yaml")
    assert len(entries) >= 12
    assert len(branch.plan.material.yaml("issues.yaml")) == branch.plan.counts["Issue__c"]
    for entry in entries:
        assert len(entry["kept"].splitlines()) >= 3
        assert len(entry["broken"].splitlines()) >= 3
        assert entry["code"] in branch.shared.articles, entry["code"]
        for line in entry["qa"].strip().splitlines():
            _, answer = line.split("|")
            assert answer.strip().lower() in entry["body"].lower()


def test_texts_are_not_nearly_the_same(made: Made) -> None:
    def shingles(text: str) -> frozenset[tuple[str, ...]]:
        tokens = words(text)
        return frozenset(zip(tokens, tokens[1:], tokens[2:], strict=False)) if len(tokens) > 8 else frozenset()

    branch, _ = made
    for name, field in TEXTS.items():
        sets = [shingles(" ".join(written(name, row[field]))) for row in branch.tables[name]][:700]
        alike = set()
        for (a, one), (b, other) in combinations(enumerate(sets), 2):
            if min(len(one), len(other)) >= 0.6 * max(len(one), len(other), 1):
                shared = len(one & other)
                if shared and shared / (len(one) + len(other) - shared) >= 0.6:
                    alike |= {a, b}
        assert len(alike) <= 0.02 * len(sets), (name, len(alike), len(sets))


def test_openings_and_sentences_differ(made: Made) -> None:
    branch, _ = made
    names = {word.lower() for member in branch.members for word in (member.first, member.last)}
    for party in branch.parties:
        names |= {word.lower() for person in party.contacts for word in (person.first, person.last)}
    for name, field in TEXTS.items():
        openings: Counter[str] = Counter()
        frames = set()
        for row in branch.tables[name]:
            found = sentences(written(name, row[field]))
            openings[opening(found)] += 1
            frames |= {skeleton(sentence, names) for sentence in found}
        sentence, most = openings.most_common(1)[0]
        assert most <= max(3, 0.02 * openings.total()), (name, sentence, most)
        assert len(frames) >= 0.5 * openings.total(), name


def test_answers_quote_the_letter_before(made: Made) -> None:
    branch, _ = made
    threads = defaultdict(list)
    for mail in branch.tables["EmailMessage"]:
        threads[mail["ParentId"]].append(mail)
    answers = quoting = 0
    for thread in threads.values():
        for before, mail in pairwise(thread):
            answers += 1
            quoted = [line[2:] for line in mail["TextBody"].splitlines() if line.startswith("> ")]
            quoting += bool(quoted)
            assert all(line in before["TextBody"].splitlines() for line in quoted)
    assert 0.5 < quoting / answers < 0.9


def test_letters_go_between_customer_and_owner(made: Made) -> None:
    branch, bought = made
    staff = {member.email: member for member in branch.members}
    people = {line.person.id: line.person for line in bought}
    cases = cases_of(branch)
    owners = defaultdict(dict)
    for row in branch.tables["CaseHistory__c"]:
        if row["Field__c"] == "Owner Assignment":
            owners[row["CaseId__c"]].setdefault(row["NewValue__c"], row["CreatedDate"])
    for mail in branch.tables["EmailMessage"]:
        person = people[cases[mail["ParentId"]]["ContactId"]]
        if mail["FromAddress"] == person.email:
            assert mail["ToIds"] in owners[mail["ParentId"]]
            continue
        assert mail["ToIds"] == person.id
        assert mail["ToAddress"] == person.email
        if mail["FromAddress"] in staff:
            agent = staff[mail["FromAddress"]]
            assert owners[mail["ParentId"]][agent.id] <= mail["MessageDate"]
            assert agent.name in own_words(mail["TextBody"])
        else:
            assert mail["FromAddress"].split("@")[0] in ("care", "support")


def test_agents_write_in_office_hours(made: Made) -> None:
    branch, _ = made
    staff = {member.email for member in branch.members}
    hours = [mail["MessageDate"].hour for mail in branch.tables["EmailMessage"] if mail["FromAddress"] in staff]
    assert sum(8 <= hour < 18 for hour in hours) >= 0.95 * len(hours)


def test_chats_take_turns(made: Made) -> None:
    branch, _ = made
    assert {chat["CaseId"] for chat in branch.tables["LiveChatTranscript"]} == {
        case["Id"] for case in branch.tables["Case"] if case["Origin"] == "Chat"
    }
    for chat in branch.tables["LiveChatTranscript"]:
        spoken = turns(chat["Body"])
        assert len(spoken) >= 4
        assert all(re.fullmatch(r"\d\d:\d\d", turn.at) and turn.who for turn in spoken), chat["Body"]
        assert 2 <= len({turn.who for turn in spoken}) <= 3
        times = [turn.at for turn in spoken]
        assert times == sorted(times) or times[0] > times[-1] == max(t for t in times if t < "01"), chat["Body"]
        assert times[-1] == chat["EndTime"].strftime("%H:%M")


def test_said_particulars_stand_in_the_text(made: Made) -> None:
    branch, _ = made
    rows = {row["Id"]: row for name in TEXTS for row in branch.tables[name]}
    told: Counter[str] = Counter()
    slots: Counter[str] = Counter()
    for fact in facts(branch, "said"):
        values = fact.values
        if fact.of not in rows or values["object"] not in TEXTS:
            continue
        text = rows[fact.of][values["field"]]
        text = own_words(text) if values["object"] == "EmailMessage" else text
        assert stands(values["text"], text)
        told[fact.of] += 1
        slots[values["slot"]] += 1
    assert max(told.values()) <= 6
    assert {"order", "product", "order_date", "case", "agent"} <= set(slots)
    assert len(told) > 0.6 * len(rows)


def test_a_particular_stands_as_a_whole() -> None:
    assert stands("$24", "I paid $24, twice")
    assert not stands("$24", "I paid $240")
    assert stands("March 1", "March 12 or March 1.")


def breaches(branch: Branch) -> dict[str, Fact]:
    return {fact.of: fact for fact in facts(branch, "violation")}


def sentences_of(phrases: str) -> list[re.Pattern[str]]:
    """A pattern for each phrase: alternatives as they are, slots as anything."""
    found = []
    for line in phrases.strip().splitlines():
        pattern = ""
        for part in re.split(r"(\[[^\]]*\]|\{\w+\})", line.strip()):
            if part.startswith("["):
                pattern += "(?:" + "|".join(_literal(choice) for choice in part[1:-1].split("|")) + ")"
            elif part.startswith("{"):
                pattern += r".{1,60}?"
            else:
                pattern += re.escape(part)
        found.append(re.compile(re.sub(r"(?:\\ )+", r"\\s*", pattern), re.IGNORECASE))
    return found


def _literal(choice: str) -> str:
    parts = re.split(r"(\{\w+\})", choice)
    return "".join(r".{1,60}?" if part.startswith("{") else re.escape(part) for part in parts)


def test_a_broken_rule_shows_in_one_letter_or_chat(made: Made) -> None:
    branch, _ = made
    entries = {branch.shared.articles[e["code"]]: e for e in branch.plan.material.yaml("policies.yaml")}
    broken = {key: sentences_of(entry["broken"]) for key, entry in entries.items()}
    kept = {key: sentences_of(entry["kept"]) for key, entry in entries.items()}
    texts = defaultdict(dict)
    for mail in branch.tables["EmailMessage"]:
        texts[mail["ParentId"]][mail["Id"]] = own_words(mail["TextBody"])
    for chat in branch.tables["LiveChatTranscript"]:
        texts[chat["CaseId"]][chat["Id"]] = chat["Body"]
    found = breaches(branch)
    for key, case in cases_of(branch).items():
        if case["ClosedDate"] is None or key not in texts:
            assert key not in found
            continue
        article = found[key].values["article"]
        shows = {
            (policy, record)
            for record, text in texts[key].items()
            for policy, patterns in broken.items()
            if any(pattern.search(text) for pattern in patterns)
        }
        if article is None:
            assert not shows, (case["CaseNumber"], shows)
            continue
        assert shows == {(article, found[key].evidence[0][1])}, case["CaseNumber"]
        assert len(found[key].evidence) == 1
        whole = "\n".join(texts[key].values())
        assert not any(pattern.search(whole) for pattern in kept[article]), case["CaseNumber"]


def test_the_share_of_breaches_is_the_one_that_is_set(made: Made) -> None:
    branch, _ = made
    found = breaches(branch)
    share = branch.plan.latent("IssueSolution", "violations", 0.23)
    broken = [fact for fact in found.values() if fact.values["article"]]
    assert abs(len(broken) / len(found) - share) <= 0.04
    articles = Counter(fact.values["article"] for fact in broken)
    assert len(articles) >= min(9, len(broken) // 2)
    assert articles.most_common(1)[0][1] <= 0.3 * len(broken) + 1


def test_rules_are_also_kept_and_said_so(made: Made) -> None:
    branch, _ = made
    latents = [fact.values for fact in facts(branch, "latent") if fact.values["name"] == "IssueSolution"]
    assert len(latents) == len(branch.tables["Case"])
    assert sum(bool(values["kept"]) for values in latents) > 0.25 * len(latents)
    assert all(values["broken"] not in values["kept"] for values in latents)


def test_without_quoting_letters_stand_alone(cared: Cared) -> None:
    branch, _ = cared("service", 0.2, quoting=False)
    assert len(branch.tables["EmailMessage"]) == branch.counts["EmailMessage"]
    assert not any(re.search(r"^>", mail["TextBody"], re.MULTILINE) for mail in branch.tables["EmailMessage"])
    assert not any(mail["Subject"].startswith("Re:") for mail in branch.tables["EmailMessage"])
    assert all(len(turns(chat["Body"])) == 2 for chat in branch.tables["LiveChatTranscript"])


def test_without_gaps_nobody_slips(cared: Cared) -> None:
    def small(**switches: bool) -> int:
        branch, _ = cared("service", 0.2, **switches)
        return sum(case["Description"][0].islower() for case in branch.tables["Case"])

    assert small() > 0
    assert small(gaps=False) == 0


def test_who_lacks_skill_slips_more_often(cared: Cared) -> None:
    branch, _ = cared("service", 0.4)
    skill = {member.id: member.skill for member in branch.members}
    codes = {key: code for code, key in branch.shared.issues.items()}
    found = breaches(branch)

    def mean(broke: bool) -> float:
        values = [
            skill[case["OwnerId"]][codes[case["IssueId__c"]]]
            for key, case in cases_of(branch).items()
            if key in found and bool(found[key].values["article"]) is broke
        ]
        return sum(values) / len(values)

    assert mean(True) < mean(False) - 0.03
