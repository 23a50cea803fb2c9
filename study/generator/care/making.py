"""Customer care of one branch: cases, their history, letters and chats, as records and as facts."""

from __future__ import annotations

from study.generator.care.breaches import Conduct, conduct_of
from study.generator.care.case import Case
from study.generator.care.chats import Chat, ChatDesk, hand_over_in_chat
from study.generator.care.handling import handle, history
from study.generator.care.letters import Correspondence, Draft
from study.generator.care.matters import Matters
from study.generator.care.opening import plan_cases
from study.generator.care.threads import FROM_CUSTOMER, kinds_of, letter_counts, turns_of
from study.generator.care.wording import Hand, facts_of, grammar_of, particulars
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.things import Bought, Row

SOLVED = 0.42
"""Share of cases in which what the agent suggests solves the matter; by chance, not by agent."""
_APART = 6_000
"""Case numbers between two branches; more than a branch of scale 1 uses up."""
MOST_EVIDENCE = 12


def make_care(branch: Branch, bought: list[Bought]) -> None:
    """Add Case, CaseHistory__c, EmailMessage and LiveChatTranscript records, and tell what is known about them.

    Cases, history rows and chats are exactly as many as counted; letters are, in a world that does not sell, and at
    most as many in one that does. ValueError if there are cases to make and nothing was bought.
    """
    matters = Matters(branch.plan.material)
    grammar = grammar_of(branch.plan.material, matters)
    cases = plan_cases(branch, bought, matters)
    handle(branch, cases)
    hand = Hand(branch, grammar, "care words")
    hand_over_in_chat(branch, hand, cases)
    _put_into_words(branch, hand, cases)
    branch.add("Case", [_row(branch, case) for case in cases])
    branch.add("CaseHistory__c", history(branch, cases))
    conducts, drafts, chats = _written(branch, hand, cases, matters)
    evidence = _recorded(branch, hand, drafts, chats)
    for place, case in enumerate(cases):
        _tell(branch, hand, case, conducts[place], evidence.get(case.id, []))


def _put_into_words(branch: Branch, hand: Hand, cases: list[Case]) -> None:
    """Id, number, subject and description of every case; no two descriptions are the same."""
    draw = hand.draw
    number = 10_200 + _APART * branch.number + draw.whole(0, 700)
    seen: set[str] = set()
    for case in cases:
        number += draw.whole(1, 4)
        case.id, case.number = branch.new_id("Case"), f"{number:08d}"
        case.slots = facts_of(case, branch, draw, hand.grammar)
        case.solved = draw.chance(SOLVED)
        if sides := hand.grammar.rules[f"{case.issue.code} sides"]:
            case.side = draw.pick(sides)
        case.subject = hand.subject(case)
        for _ in range(8):
            case.description = hand.trouble(case, short=case.origin == "Chat")
            if case.description not in seen:
                break
        if case.origin == "Phone":
            clock = f"{case.created.hour:02d}:{case.created.minute:02d}"
            about = {"clock": clock, "caller": case.line.person.name}
            case.description = f"{hand.say('phone_note', about)} {case.description}"
        seen.add(case.description)


def _row(branch: Branch, case: Case) -> Row:
    line = case.line
    return {
        "Id": case.id, "CaseNumber": case.number, "Subject": case.subject, "Description": case.description,
        "Priority": case.priority, "Status": case.status, "Origin": case.origin, "CreatedDate": case.created,
        "ClosedDate": case.closed, "AccountId": line.party.id, "ContactId": line.person.id, "OwnerId": case.owner.id,
        "IssueId__c": branch.shared.issues[case.issue.code], "OrderItemId__c": line.id,
    }  # fmt: skip


def _written(
    branch: Branch, hand: Hand, cases: list[Case], matters: Matters
) -> tuple[list[Conduct], list[Draft], list[Chat]]:
    """Everything that is written about cases; a breach shows in exactly one letter or chat."""
    draw, calendar = branch.draw("threads"), Calendar(branch.plan)
    counts = letter_counts(branch, draw, cases)
    kinds = [kinds_of(draw, case, n) for case, n in zip(cases, counts, strict=True)]
    writes = [any(kind not in (*FROM_CUSTOMER, "received", "forwarded") for kind in found) for found in kinds]
    answered = [wrote or case.origin == "Chat" for wrote, case in zip(writes, cases, strict=True)]
    conducts = conduct_of(branch, cases, matters, answered)
    mail, desk = Correspondence(branch, hand), ChatDesk(branch, hand)
    drafts: list[Draft] = []
    chats: list[Chat] = []
    for place, case in enumerate(cases):
        in_letter = writes[place] and (case.origin != "Chat" or draw.chance(0.5))
        begin = case.created
        if case.origin == "Chat":
            chat = desk.chat(case, conducts[place], here=not in_letter, last=not writes[place])
            chats.append(chat)
            begin = chat.end
        turns = turns_of(branch, calendar, draw, case, (kinds[place], begin))
        drafts += mail.thread(case, turns, conducts[place], here=in_letter)
    return conducts, drafts, chats


def _recorded(
    branch: Branch, hand: Hand, drafts: list[Draft], chats: list[Chat]
) -> dict[str, list[tuple[str, str, bool]]]:
    """Ids in the order of time. For each case its letters and chats: object, Id, whether a breach shows there."""
    found: dict[str, list[tuple[str, str, bool]]] = {}
    mail, desk = Correspondence(branch, hand), ChatDesk(branch, hand)
    rows: list[Row] = []
    for chat in sorted(chats, key=lambda chat: (chat.end, chat.case.id)):
        record_id = branch.new_id("LiveChatTranscript")
        rows.append(desk.row(chat, record_id))
        desk.tell(chat, record_id)
        found.setdefault(chat.case.id, []).append(("LiveChatTranscript", record_id, chat.breaks))
    branch.add("LiveChatTranscript", rows)
    letters: list[Row] = []
    begun: set[str] = set()
    for draft in sorted(drafts, key=lambda draft: (draft.turn.at, draft.case.id)):
        record_id = branch.new_id("EmailMessage")
        letters.append(mail.row(draft, record_id, first=draft.case.id not in begun))
        begun.add(draft.case.id)
        mail.tell(draft, record_id)
        found.setdefault(draft.case.id, []).append(("EmailMessage", record_id, draft.breaks))
    branch.add("EmailMessage", letters)
    return found


def _tell(branch: Branch, hand: Hand, case: Case, conduct: Conduct, records: list[tuple[str, str, bool]]) -> None:
    hand.tell_said(case.id, ("Case", "Description"), case.description, particulars(case, {}))
    branch.tell("latent", case.id, name="Solution", solved=case.solved)
    broken = conduct.broken.code if conduct.broken else None
    branch.tell("latent", case.id, name="IssueSolution", broken=broken, kept=[policy.code for policy in conduct.kept])
    if case.closed is None or not records:
        return
    shows = [(name, record_id) for name, record_id, breaks in records if breaks]
    article = branch.shared.articles.get(broken, broken) if broken else None
    evidence = shows or [(name, record_id) for name, record_id, _ in records][:MOST_EVIDENCE]
    branch.tell("violation", case.id, evidence, article=article)
