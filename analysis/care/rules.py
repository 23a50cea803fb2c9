"""The rules of care: what is looked at, and how much a flag weighs (M22). No rule looks at how high one rated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Strength = Literal["strong", "soft"]


@dataclass(frozen=True)
class Rule:
    """One rule: its code in the data, what it says in words, and its weight."""

    code: str
    strength: Strength
    text: str


RULES: tuple[Rule, ...] = (
    Rule("rated_unseen", "strong", "an object rated without a record of it opened, in a study with looks"),
    Rule("fast_pages", "strong", "two pages or more under 2 seconds per item"),
    Rule("anchors", "strong", "of six clean and six broken cards or more, the broken ones were rated no lower"),
    Rule("anchors_few", "soft", "the same with three to five cards of either kind, where chance does it often"),
    Rule("longest_run", "soft", "equal answers in a row for half of the items, and six or more"),
    Rule("spread", "soft", "answers that hardly vary (SD under 0.2) or vary far more than those of others"),
    Rule("against_others", "soft", "ratings of the objects that run against the others' (correlation under 0)"),
    Rule("unusual", "soft", "a pattern of object ratings unlike the others' (outfit or Mahalanobis D²)"),
    Rule("speed", "soft", "less than half of the median time"),
    Rule("short_reasons", "soft", "half of the boxes or more under 20 characters"),
    Rule("few_words", "soft", "half of the boxes or more with under three different content words"),
    Rule("same_text", "soft", "the same or nearly the same text in boxes of different ratings"),
    Rule("same_as_others", "soft", "two boxes or more with nearly the text of another person"),
    Rule("copied_prompt", "soft", "a text that is the page's own"),
    Rule("pasted", "soft", "half of the characters or more were pasted (of those who agreed that it is noted)"),
    Rule("task_unopened", "soft", "a question that ended although its page was never worked on"),
    Rule("no_records", "soft", "questions answered without a record, a search or a filter"),
    Rule("do_not_use", "soft", "said that the answers should better not be used"),
    Rule("overclaim", "soft", "named a product that does not exist"),
    Rule("knowledge", "soft", "none of the knowledge items right"),
    Rule("knows_other", "soft", "knows somebody who took part, or took part before"),
)
BY_CODE = {rule.code: rule for rule in RULES}
OF_PERSON = ("overclaim", "knowledge", "knows_other")
"""These stand with the person, not with a visit."""
ENOUGH_STRONG = 2
"""Different strong rules from which a sensitivity row leaves somebody out."""
