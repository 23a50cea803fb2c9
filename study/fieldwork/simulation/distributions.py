"""Every distribution that simulated experts are drawn from, and every link between them, in one place.

``docs/simulation.md`` says the same in words; ``truth.py`` writes all of it beside the data. Constants with a plain
meaning stand alone; a normal distribution is (mean, SD), a lognormal one (median, SD of the logarithm).
"""

from __future__ import annotations

from collections.abc import Mapping

# --- ratings: latent = object effect + Org + severity + demand + noise, cut into five points
THRESHOLDS = (-1.5, -0.5, 0.45, 1.45)
OBJECT_MEAN, OBJECT_SD, NOISE_SD = 0.75, 0.45, 0.9
CONTROL = -1.1
"""Added to every target of a control Org, one made from another: what its lost connections cost."""
AWARE_SHIFT = 0.2
"""Added to every score of somebody who says what the study hopes for."""
SECOND_THOUGHTS = 0.12
"""Share of cards on which somebody chooses one thing first and another in the end (M16)."""

# --- the person
ATTENTION = (6.0, 2.5)
"""Beta(a, b): the share of records on offer that somebody opens."""
FLUENCY = (1.0, 0.3)
"""A person's own factor on every second in the CRM: above 1 is slow."""
GAP = (0.6, 0.3)
"""Own system against this Org on the latent scale, per expert; the mean of it is the gap to be found."""
COVERED = (0.4, 0.5)
"""P(an episode could have been done here) = Phi(first + second x severity)."""
OF_COVERED: Mapping[str, float] = {"fully": 0.8, "software_only": 0.2}
OF_NOT_COVERED: Mapping[str, float] = {"records_missing": 0.5, "links_missing": 0.35, "cannot_say": 0.15}

# --- seconds; over HTTP nobody waits for them
MOVE_SECONDS: Mapping[str, tuple[float, float]] = {"find": (35, 0.35), "filter": (45, 0.35), "follow": (50, 0.35)}
RECORD_SECONDS, LIST_SECONDS = (22, 0.5), (14, 0.5)
CARD_SECONDS, BOX_SECONDS, ITEM_SECONDS = (12, 0.4), (28, 0.5), (7, 0.4)
ORIENTATION_SECONDS = (150, 0.3)
TASK_SPREAD = 0.3
"""A question takes its minutes by hand x fluency x lognormal(1, this)."""
SPEEDER_SECONDS = (0.4, 1.8)
"""Evenly: what a speeder gives one item."""

# --- missing
RATHER_NOT_ITEM = 0.03
"""Share of required items outside the ratings answered "I'd rather not say"."""
LEFT_EMPTY = 0.15
"""Share of optional items without text that are left empty; texts have their empty lines in ``words.py``."""
CANNOT_REASONS: Mapping[str, float] = {"not_enough": 0.55, "not_familiar": 0.35, "not_seen": 0.1}
OPEN_WHERE_LOW = 2.0
"""A card is left open so many times as often where its score would be 1 or 2: not missing at random."""
MOVE_LEFT = 0.05

# --- leaving: where those who leave do so; the weight rises with every part of the hour
STOPS = (
    "orientation",
    "question 1",
    "question 2",
    "question 3",
    "question 4",
    "question 5",
    "ratings",
    "cards",
    "closing",
)
STOP_WEIGHTS = tuple(range(1, len(STOPS) + 1))

# --- careless kinds
KINDS = ("straightliner", "speeder", "random", "paster")
CAREFUL = "careful"
STRAIGHT_POINTS: Mapping[str, float] = {"2": 0.1, "3": 0.4, "4": 0.4, "5": 0.1}
SPEEDER_NOISE = 1.8
"""A speeder's noise in place of ``NOISE_SD``: a glance at the label says little."""
CARELESS_SKIP = 0.5
"""Share of questions that speeders and random answerers skip; the rest they answer wrongly."""
CARELESS_USE: Mapping[str, float] = {"yes": 0.8, "no": 0.2}

# --- the work
CONFIDENCE = (72, -18, 18)
"""Percent = mean + second where the answer is wrong + N(0, third), to the nearest ten."""
LISTS_OPENED, SEARCHES, NOTES = 2, 0.4, 0.2
"""Lists of a question, of which the first is of what is asked for; shares of questions with a search, with a note."""
MOST_OF_LIST = 3
"""1 + Binomial(this - 1, attention) records of a list are opened; of a look 1 + Binomial(all but one, attention)."""
TAGGED, EVIDENCE = 0.7, 0.4
"""Share of "what looked off" that is sorted; share of reasons to which the last record opened is attached."""

# --- after each question
NOT_MY_AREA = 0.12
FREQUENCY_MEAN, FREQUENCY_SEVERITY = 0.3, 0.4
FREQUENCY_CUTS = (-1.6, -0.6, 0.2, 1.2)
"""Latent = mean + second x severity + N(0, 1), cut into never, less often, monthly, weekly, daily."""
FREQUENCIES = ("never", "less_often", "monthly", "weekly", "daily")
CLEAR_IF_ANSWERED, CLEAR_IF_SKIPPED = 0.85, 0.55
UNCLEAR: Mapping[str, float] = {"unclear_wording": 0.4, "several_answers": 0.3, "data_missing": 0.2, "other": 0.1}

# --- after the lock
AI_GUESS = (-0.4, -0.5)
"""P(guesses "made by an AI model") = Phi(first + second x severity): the severe say it more often."""
OTHER_GUESSES: Mapping[str, float] = {
    "copied_changed": 0.25, "written_by_people": 0.1, "rules_program": 0.25, "mix": 0.25, "cannot_say": 0.15,
}  # fmt: skip
ORIGIN_CONFIDENCE: Mapping[str, float] = {"low": 0.4, "medium": 0.45, "high": 0.15}
UMUX = (5.0, 0.6, -0.9, 0.9)
"""Point 1 to 7 = mean + second x severity + third x ln(fluency) + N(0, fourth), rounded and kept on the scale."""
RUSHED = (2.0, 1.5, 0.8)
"""Point 1 to 5 = mean + second x ln(fluency) + N(0, third)."""
OWN_SOFTWARE: Mapping[str, float] = {"lower": 0.12, "same": 0.6, "higher": 0.18, "cannot_say": 0.1}
HELP: Mapping[str, float] = {
    "none": 0.82,
    "colleague": 0.04,
    "translator": 0.07,
    "ai_wording": 0.05,
    "ai_solving": 0.02,
}
USE_ANSWERS: Mapping[str, float] = {"yes": 0.98, "no": 0.02}
CARD_EFFECT, PER_GRADE, SHUFFLED = 0.9, 0.7, 1.1
"""A card after the lock: this effect, less so much for each size of its fault, or for coming from the control Org."""
ORG_PREFERRED = 0.68
"""Chance that the record of the Org is taken in a pair."""


def stated() -> dict[str, object]:
    """Everything above by its name, for the truth file."""
    return {name.lower(): _plain(value) for name, value in sorted(globals().items()) if name.isupper()}


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value
