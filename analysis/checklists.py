"""Where a report stands to the reporting guidelines GRRAS and JARS-Quant: item, and where to find or write it."""

from __future__ import annotations

from analysis.document import Paragraph, Section, Table

WRITE = "for the authors to write"
# Guidelines for Reporting Reliability and Agreement Studies: Kottner et al. 2011, J Clin Epidemiol 64:96, in our words.
GRRAS = (
    ("1", "agreement named in title or abstract", WRITE),
    ("2", "the scale and how it is used", "Approval by object; the protocol"),
    ("3", "what was rated, and of what it is a sample", "Headline (scope); facts at the top (Orgs)"),
    ("4", "the raters, and whom they stand for", "Who took part; Participant flow"),
    ("5", "what is known already, and why the study", WRITE),
    ("6", "how the numbers of raters and objects were chosen", "Planning and stopping; Methods"),
    ("7", "how raters and objects were sampled", "Methods; the protocol"),
    ("8", "how ratings were made: order, time, what was hidden", "the protocol; Experts at work"),
    ("9", "whether raters worked alone", "the protocol (each person alone, no answer of others shown)"),
    ("10", "the statistics used", "Methods"),
    ("11", "raters and objects, as they came to be", "Headline; Participant flow"),
    ("12", "what raters and objects are like", "Who took part; Approval by object"),
    ("13", "estimates of agreement with their uncertainty", "Agreement between raters"),
    ("14", "what they mean in practice", WRITE),
    ("15", "results in detail", "results.json; tables as CSV"),
)
# Journal Article Reporting Standards, quantitative: Appelbaum et al. 2018, Am Psychol 73:3, in our words, by heading.
JARS = (
    ("participants", "rule of eligibility, recruitment, numbers, characteristics", "Participant flow; Who took part"),
    ("sampling", "channel, setting, pay, agreement by an ethics board", "Headline (channel); the protocol's papers"),
    ("size", "planned number, power or precision, stopping rule", "Planning and stopping"),
    ("measures", "every question, primary and secondary outcomes", "the protocol; codebook of the bundle"),
    ("masking", "who knew what, and until when", "the protocol; the log of the blind"),
    ("design", "arms, allocation, orders", "the chapter Compared; Methods"),
    (
        "diagnostics",
        "rules for leaving out, missing data, bounds",
        "Methods; Care: flags, sets and events; People who were lost",
    ),
    ("analysis", "estimators, intervals, multiplicity, software", "Methods"),
    ("flow", "people at each stage, with reasons", "Participant flow"),
    ("results", "effect sizes with intervals, every planned comparison", "Headline; the chapter Compared"),
    ("deviations", "where the study left its plan", "Deviations; Incidents"),
    ("sharing", "data, code, material", "the bundle; results.json; versions"),
    ("discussion", "meaning, limits, generalisation", WRITE),
)


def section() -> list[Section]:
    """Hints, not a certificate: the authors look at each line."""
    head = ("Item", "asks for", "where it stands")
    note = (
        "Guidelines for reporting, item by item in our words, with where this report answers. Look at each line before "
        "you tick it."
    )
    tables = [
        Table("checklist-grras", "GRRAS: studies of reliability and agreement", head, GRRAS, words=(1, 2)),
        Table("checklist-jars", "JARS-Quant: quantitative studies", head, JARS, words=(1, 2)),
    ]
    return [Section("checklists", "Reporting checklists", [Paragraph(note), *tables])]
