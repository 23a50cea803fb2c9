"""The tables of a bundle, defined once: the writer, the reader, codebook.csv and the documentation come from here.

Blanks. A column X whose empty cells need a reason has a companion column `X_blank`. It is filled only where X is
empty, with one of `BLANKS`. In `ratings`, `final` and `final_blank` are never both empty.
"""

from __future__ import annotations

from analysis.columns import BLANKS as BLANKS
from analysis.columns import SCALE as SCALE
from analysis.columns import Column as Column
from analysis.columns import Table as Table
from analysis.columns import count as _count
from analysis.columns import explained as _explained
from analysis.columns import flag as _flag
from analysis.columns import key as _key
from analysis.columns import new as _new
from analysis.columns import score as _score
from analysis.columns import text as _text
from analysis.columns import time as _time

STAGES = ("invited", "joined", "eligible", "consented", "working", "rating", "locked", "done")
ENDS = ("complete", "screened_out", "full", "no_consent", "withdrawn", "lapsed", "excluded")
OUTCOMES = ("answered", "none", "withheld", "skipped", "time_up", "not_reached")
MARKS = ("right", "partly", "wrong")
KINDS = ("org", "object", "record", "pair")
RATING_BLANKS = ("not_asked", "not_reached", "rather_not_say", "cannot_judge", "removed")
_VISIT = _key("visit", "the visit, as in visits.id")
_OF_VISIT = (("visit", "visits", "id"),)

PARTICIPANTS = Table("participants", "One row per person invited or joined; previews are left out.", ("code",), (
    _key("code", "the person's code in the study"),
    _text("cohort", "code of the cohort", required=True),
    _text("channel", "how the person was recruited"),
    _text("stage", "how far the person came", *STAGES, required=True),
    _text("end", "how it ended; empty while it goes on", *ENDS),
    _flag("simulated", "a simulated expert, not a person"),
    Column("screener", "object", "answers to the screener by item, in bands; a blank is {\"blank\": kind}"),
    _text("rule_version", "version of the eligibility rule"),
    Column("consent_versions", "list", "version and sha256 of each consent text accepted, as 1:…"),
    _flag("eligible", "passed the screener"),
    _flag("started", "consented and opened the first task"),
    _flag("exposed", "worked long enough to judge, by the protocol's rule"),
    _flag("analysed", "in the primary analysis set; true when a visit of theirs is"),
    _flag("complete", "reached the completion code"),
    _flag("usable", "complete and not excluded"),
    _text("exclusion_reason", "why the person was excluded"),
    _text("knows_other", "knows someone who took part"),
    _text("conflict", "stated conflict of interest"),
    *_new(
        _text("language", "language the person chose"),
        _text("cell", "screener cell within which the arm was drawn"),
        Column("visit_order", "list", "conditions of the person's visits, in their order"),
        Column("agreed_to", "list", "optional statements of the consent that stand, as last said"),
    ),
))  # fmt: skip

VISITS = Table("visits", "One row per visit: one participant's hour in one Org.", ("id",), (
    _key("id", "the visit"),
    _text("participant", "participants.code", required=True),
    _text("arm", "the arm of the protocol", required=True),
    _text("allocation", "how the arm was given", "fixed", "randomised"),
    _text("block", "block of the allocation"),
    Column("period", "integer", "which visit of this person", bounds=(1, 99)),
    _text("org_hash", "the Org, by the hash of its content", required=True),
    _text("protocol_sha256", "the frozen protocol"),
    _text("language", "language of the screens"),
    _text("device", "device class by the width of the window: phone under 640 pixels, tablet under 1024, desktop"),
    _text("skin", "skin of the sandbox"),
    _text("moderator", "code of the moderator, if there was one"),
    _time("begun", "when the visit began"),
    _count("work_active_s", "active time in the work block", "seconds"),
    _count("work_elapsed_s", "time from first task to end of work", "seconds"),
    _flag("split", "more than 30 minutes between work and ratings"),
    _text("incident", "incident during the visit"),
    _count("fluency_s", "time for the three timed moves", "seconds"),
    _count("comprehension_tries", "tries of the comprehension check"),
    _text("end_state", "stage the visit reached", *STAGES),
    _flag("exposed", "in the set exposed"),
    _flag("analysed", "in the primary analysis set"),
    _time("locked_at", "when the ratings were locked"),
    *_new(
        _text("condition", "which of the arm's visits this is; empty in an arm with one"),
        _count("window_width", "width of the window at the first page that told it", "CSS pixels"),
        _count("breaks", "silences longer than the protocol's idle limit"),
        _count("break_s", "time of these, which no clock counts", "seconds"),
        _count("pauses", "pauses the person took"),
        _count("paused_s", "time of these and of waiting for help, which no clock counts", "seconds"),
        _count("help_requests", "how often help was asked for"),
    ),
), (("participant", "participants", "code"),))  # fmt: skip

ATTEMPTS = Table("attempts", "One row per assigned instance of a visit.", ("visit", "position"), (
    _VISIT,
    _count("position", "place in the order of the five, from 1", required=True),
    _text("instance", "instances.instance", required=True),
    _text("task", "kind of question", required=True),
    _text("stratum", "what the five are spread over: skill or role"),
    Column("today", "date", "the frozen today of the attempt"),
    _text("withhold", "what a requester held back", "none", "policy", "definitions", "diagnosis"),
    _text("style", "style of the requester"),
    *_explained(Column("answer", "list", "the answer; one element for a single value"), "not_reached", "removed"),
    _text("outcome", "how the attempt ended", *OUTCOMES, required=True),
    _text("reason", "reason given for a skip"),
    _flag("correct", "graded as right; empty where there is no answer, or a text that nobody has marked"),
    Column("score", "number", "score of the metric, 0 to 1; stands beside a mark as well"),
    _text("graded_by", "metric that graded; `mark` where people did"),
    _text("mark", "what people said of a text that is not plainly right", *MARKS),
    _count("key_version", "version of the answer key it was graded by"),
    Column("confidence", "integer", "the person's confidence", unit="0 to 100", bounds=(0, 100)),
    _text("frequency_at_work", "how often such a question comes up"),
    _text("one_clear_answer", "whether there was one clear answer"),
    _count("active_s", "active time on the attempt", "seconds"),
    _count("records_opened", "different records opened"),
    _count("future_records_opened", "opened records dated after the today"),
    _count("questions_needed", "questions to the requester for a needed fact not yet given"),
    _count("questions_repeated", "questions for a fact already given"),
    _count("questions_unneeded", "questions for a fact not needed"),
    _count("questions_other", "other questions"),
    _count("facts_needed", "facts held back that the answer needs"),
    _count("facts_obtained", "those obtained"),
    *_new(
        _count("searches", "texts looked for everywhere; the same again is no new one"),
        _count("filters", "lists and reports with a condition, and queries of the console"),
        _count("reformulations", "a search or filter after another with other terms, no record opened in between"),
        _count("evidence_needed", "records the answer rests on; empty where the instance names none"),
        _count("evidence_reached", "of these, opened during the attempt"),
    ),
), (*_OF_VISIT, ("instance", "instances", "instance")))  # fmt: skip

RATINGS = Table("ratings", "One row per score asked for.", ("visit", "kind", "target", "dimension"), (
    _VISIT,
    _text("kind", "what is rated", *KINDS, required=True),
    _text("target", "Org for the whole, else the object, record or pair", required=True),
    _text("dimension", "overall, or the short dimension asked", required=True),
    _count("position", "place in the order shown, from 1"),
    *_explained(_score("first", "the first choice"), *RATING_BLANKS),
    *_explained(_score("final", "the last choice; this one is analysed"), *RATING_BLANKS),
    _count("changes", "how often the choice changed after the first"),
    _time("shown_at", "when the card was first shown"),
    _time("first_at", "moment of the first choice"),
    _time("final_at", "moment of the last choice"),
    _text("cant_judge_reason", "reason for can't judge"),
    _count("opened_work", "records of the target opened during the work (Org: any record)"),
    _count("opened_look", "records opened in the look before the rating"),
    Column("look_ids", "list", "records offered in the look"),
    Column("needed_by", "list", "assigned tasks whose answer needs the object"),
    _count("look_seconds", "active time in the look", "seconds"),
    _time("locked_at", "when the rating was locked"),
    *_new(_flag("unopened", "a score although no record of the target was opened, during the work or in the look")),
), _OF_VISIT)  # fmt: skip

RATIONALES = Table("rationales", "The two boxes of a rating: what looked right, what looked off.",
    ("visit", "kind", "target", "side"), (
    _VISIT,
    _text("kind", "as in ratings", *KINDS, required=True),
    _text("target", "as in ratings", required=True),
    _text("side", "which box", "right", "off", "why", required=True),
    *_explained(Column("text", "string", "the words, as typed"), *RATING_BLANKS),
    Column("tags", "list", "tags the person chose"),
    _flag("redacted", "parts were masked before release"),
    Column("pasted_share", "number", "share of the characters that were pasted", unit="0 to 1"),
    *_new(
        _count("pastes", "how often something was pasted; known of those who agreed to it, as the share is"),
        _count("focus_seconds", "time in the box, of those who agreed to it", "seconds"),
    ),
), _OF_VISIT)  # fmt: skip

EVIDENCE = Table("evidence", "Records pinned to a rating or during an attempt.",
    ("visit", "of", "target", "side", "object", "record", "field"), (
    _VISIT,
    _text("target", "as in ratings; of an attempt its position", required=True),
    _text("object", "object of the record", required=True),
    _text("record", "Id of the record", required=True),
    _text("field", "field, when one was named"),
    *_new(
        _text("of", "what it is evidence of", "rating", "attempt"),
        _text("side", "the box it belongs to", "right", "off", "why"),
        _time("at", "when it was pinned"),
    ),
), _OF_VISIT)  # fmt: skip

INSTANCES = Table("instances", "The query instances that were assigned.", ("instance",), (
    _key("instance", "the instance"),
    _text("task", "kind of question", required=True),
    _text("stratum", "skill or role"),
    _text("org_hash", "the Org it belongs to", required=True),
    Column("today", "date", "its frozen today"),
    _text("metric", "how it is graded"),
    _flag("has_rule", "its answer is computed by a rule"),
    _count("key_version", "version of its answer key; 1 as it came in, one more with each change"),
))  # fmt: skip

OBJECTS = Table("objects", "The objects that were rated, per Org.", ("org_hash", "object"), (
    _key("org_hash", "the Org"),
    _key("object", "API name of the object"),
    _text("label", "its name on the screens"),
    _count("records", "records in the Org"),
))  # fmt: skip

OPENED = Table("opened", "What a visit opened, per object.", ("visit", "object", "in_look"), (
    _VISIT,
    _text("object", "object", required=True),
    _count("records", "different records opened"),
    _count("active_seconds", "active time on them", "seconds"),
    Column("in_look", "boolean", "opened in the look before a rating, not during work", required=True),
    *_new(
        _count("openings", "openings, the same record again included"),
        _count("filters", "lists and reports of it with a condition"),
        _count("future_records", "opened records dated after the today"),
        _count("visible_s", "its pages in view, by the browser's clock; empty where no page told it", "seconds"),
        _count("focused_s", "of this with the window in front", "seconds"),
        _count("idle_s", "of the time in view: without any input for more than a minute", "seconds"),
        _count("ids_copied", "different record Ids copied from its pages"),
    ),
), _OF_VISIT)  # fmt: skip

CLOSING = Table("closing", "The closing questions, after the ratings were locked.", ("visit", "item"), (
    _VISIT,
    _text("item", "the question", required=True),
    *_explained(Column("value", "string", "the answer; more than one value as a JSON list"),
                "not_asked", "not_reached", "rather_not_say", "removed"),
    _time("shown_at", "when it was shown"),
), _OF_VISIT)  # fmt: skip

ASSIGNMENT_LOG = Table("assignment_log", "Each arm drawn, place given, released or completed, instance benched.",
    ("sequence",), (
    _count("sequence", "running number", required=True),
    _text("visit", "the visit; empty for what belongs to none"),
    _text("event", "what happened", "allocated", "assigned", "released", "completed", "benched", "unbenched",
          required=True),
    _text("instance", "the instance; empty where an arm was drawn"),
    _count("position", "place in the order of the five"),
    Column("seed", "integer", "the visit's seed; that of an arm drawn once its cohort has closed",
           bounds=(-(2**63), 2**63 - 1)),
    _time("at", "when"),
    *_new(
        _text("participant", "whose arm was drawn"),
        Column("detail", "object", "what else the event rests on: cell and block, the pool, the reason"),
    ),
))  # fmt: skip

MOVES = Table("moves", "The timed moves of the orientation, by the server's clock.", ("visit", "move"), (
    _VISIT,
    _text("move", "which one: find, filter or follow, as the protocol calls it", required=True),
    _time("started_at", "when it was shown"),
    _time("done_at", "when it was done"),
    _time("left_at", "when it was left undone"),
    Column("seconds", "number", "from shown to done; empty where it was left", unit="seconds"),
    _flag("helped", "the help was opened"),
), _OF_VISIT, since=2)  # fmt: skip

NOTES = Table("notes", "Notes taken during the work. Left out while the study is blind.", ("visit", "number"), (
    _VISIT,
    _count("number", "running number in the visit", required=True),
    _count("attempt", "position of the attempt it was taken at"),
    _text("object", "object of the page it was taken on"),
    _text("record", "record of the page"),
    _text("text", "the words, as typed"),
    _time("at", "when"),
), _OF_VISIT, since=2)  # fmt: skip

HELP = Table("help", "Help asked for in the hour. The words stay with those who answer them.", ("visit", "number"), (
    _VISIT,
    _count("number", "running number in the visit", required=True),
    _text("kind", "can't get on, don't understand, or something is broken", "stuck", "unclear", "broken",
          required=True),
    _text("page", "where, without codes"),
    _time("at", "when it was asked for"),
    _time("went_on_at", "when the person went on"),
    _count("waited_s", "time in between; no clock counts it", "seconds"),
    _flag("replied", "the team sent a reply"),
), _OF_VISIT, since=2)  # fmt: skip

INCIDENTS = Table("incidents", "What was broken for everybody: the study stood from then to then.", ("code",), (
    _key("code", "the incident, as in visits.incident, where several are divided by blanks"),
    _time("began", "from when nobody could join, begin or go on"),
    _time("over", "until when; empty while it goes on"),
    _count("visits", "how many visits were in the hour and stood"),
    _text("what", "what happened, in the team's words"),
), since=3)  # fmt: skip

DEVIATIONS = Table("deviations", "The log of deviations: where the study left its protocol.", ("number",), (
    _count("number", "running number in the study", required=True),
    Column("happened_on", "date", "the day on which it happened"),
    _text("what", "what was done otherwise, in the team's words"),
    _text("why", "why, in the team's words"),
    _flag("ratings_open", "researchers could see ratings when the line was written"),
    _count("protocol_number", "the newest frozen protocol by then"),
    _text("by", "a member of the team, or the system", "team", "system"),
    _time("at", "when the line was written"),
), since=3)  # fmt: skip

CARDS = Table("cards", "What was shown to rate after the lock. A pair has two rows.", ("visit", "target", "side"), (
    _VISIT,
    _text("module", "the module of the protocol", required=True),
    _count("position", "place in the order shown, from 1", required=True),
    _text("target", "as in ratings", required=True),
    _text("kind", "what it is", "anchors", "reference", "dossiers", "pairs", required=True),
    _text("side", "of a pair: which of the two, as shown", "first", "second"),
    _text("card_set", "the set of cards"),
    _text("card", "which card of the set"),
    _text("object", "object of the record"),
    _text("record", "the record"),
    _text("org_hash", "the Org it comes from"),
    _flag("control", "it comes from a control Org, whose connections were broken on purpose"),
    _count("grade", "how grave its fault is; 0 has none"),
    _text("fault", "what was done to it"),
    _time("shown_at", "when it was shown"),
), _OF_VISIT, since=2)  # fmt: skip

CODEBOOK = Table("codebook", "Every column of every table; study items follow as further rows.", ("table", "column"), (
    _key("table", "the table"),
    _key("column", "the column, or the item within it"),
    _text("type", "type of the values"),
    _text("unit", "unit of a number"),
    _text("values", "allowed values, separated by |"),
    _text("blanks", "kinds of blank, separated by |"),
    _text("text", "what it is, or the question as asked"),
))  # fmt: skip

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        PARTICIPANTS, VISITS, ATTEMPTS, RATINGS, RATIONALES, EVIDENCE, INSTANCES, OBJECTS, OPENED, CLOSING,
        ASSIGNMENT_LOG, MOVES, NOTES, HELP, INCIDENTS, DEVIATIONS, CARDS, CODEBOOK,
    )
}  # fmt: skip


def codebook_rows() -> list[dict[str, object]]:
    """The rows of codebook.csv that every bundle has: one per column of the other tables."""
    return [
        {
            "table": table.name,
            "column": column.name,
            "type": column.kind,
            "unit": column.unit,
            "values": "|".join(column.values),
            "blanks": "|".join(column.blanks),
            "text": column.text,
        }
        for table in TABLES.values()
        if table is not CODEBOOK
        for column in table.columns
    ]
