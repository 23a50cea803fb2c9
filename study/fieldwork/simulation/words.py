"""What simulated experts say, in sentences of our own; some scripts and emoji among them on purpose."""

from __future__ import annotations

import random

from study.fieldwork.simulation.experts import Expert

RIGHT = (
    "The {plural} look like those I see at work: the fields that matter are filled, the rest is patchy.",
    "Dates and owners of the {plural} fit each other, and I could follow one to the next.",
    "I opened several {plural} and the details agreed with what the related records said.",
    "Names, places and amounts in the {plural} vary the way they do in practice.",
    "The links from the {plural} lead where I expect them to lead.",
    "Wording in the {plural} sounds like people in a hurry, which is what I know. 👍",
    "Small gaps in the {plural} are the kind everybody leaves.",
)
OFF = (
    "Some of the {plural} repeat the same turn of phrase more often than people would.",
    "For a company of this size I would expect more history in the {plural}.",
    "A few fields of the {plural} that we could not work without are missing here.",
    "The {plural} are a little too tidy; nobody merges and renames that well.",
    "Two of the {plural} I opened had hardly anything attached.",
    "I missed notes and call-backs around the {plural}; بدون ملاحظات it feels bare.",
    "Amounts in the {plural} sit close together; ours spread much wider.",
)
EPISODES = (
    "closed a case",
    "looked up an order",
    "answered a customer",
    "updated a contact",
    "built a list",
    "called back",
)
# By item of the recommended protocol; other required items get a role, other optional ones stay empty.
SHORT_TEXTS = {
    "S8a": ("service agent", "support lead", "account manager", "customer service analyst", "CRM administrator"),
    "S8e": ("Norway", "Portugal", "Kenya", "Canada", "Türkiye", "Vietnam"),
    "S11c": ("", "", "Norwegian", "Português", "Kiswahili", "English", "Türkçe", "Tiếng Việt"),
    "not_found": ("", "Complaints about invoices.", "Appointments with a technician.", "Contracts and renewals."),
    "hoped": ("", "To see what stands out.", "I can't say.", "Where the records hold up and where they don't."),
    "one_change": ("", "More half-finished records.", "Longer threads of mail.", "Old cases nobody has closed."),
    "trouble": ("", "", "None.", "The report took me a moment to find.", "Nothing worth mentioning, thank you."),
}


HOPED = ("That everything looks like daily work.", "High ratings, I suppose.", "That nobody sees a difference.")
"""What somebody says who thinks that high ratings are hoped for."""
PASTED = (
    "The records appear consistent and well structured, and they reflect the processes of a typical service team.",
    "Overall the data set is coherent; the relations between the records correspond to common business practice.",
    "The information is presented clearly and the entries are plausible in the context of customer service.",
)
CARELESS = {"straightliner": "Fine.", "speeder": "ok", "random": "it is as it is"}


def careless_text(expert: Expert) -> str:
    """What a careless kind writes into every box; empty for everybody else. A paster has one text for all of them."""
    return expert.draw("pasted").choice(PASTED) if expert.kind == "paster" else CARELESS.get(expert.kind, "")


def short_text(item: str, draw: random.Random, *, required: bool, aware: bool = False) -> str:
    """A line for an item with free text."""
    if item == "hoped" and aware:
        return draw.choice(HOPED)
    return draw.choice(SHORT_TEXTS.get(item) or (SHORT_TEXTS["S8a"] if required else ("",)))


def rationale(draw: random.Random, score: int | None, plural: str) -> dict[str, str]:
    """Texts for the two boxes by the score; both stay possible at every level."""
    lean = {None: (0.5, 0.4), 1: (0.3, 1.0), 2: (0.4, 1.0), 3: (0.8, 0.8), 4: (1.0, 0.5), 5: (1.0, 0.2)}[score]
    texts = {}
    for side, bank, chance in (("right", RIGHT, lean[0]), ("off", OFF, lean[1])):
        if draw.random() < chance:
            texts[side] = " ".join(draw.sample(bank, draw.choice((1, 1, 2)))).format(plural=plural)
    if score and not texts:
        # A rating comes with a word of why; without a score the reason says enough.
        texts["right" if score >= 3 else "off"] = draw.choice(RIGHT if score >= 3 else OFF).format(plural=plural)
    return texts
