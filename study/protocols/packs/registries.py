"""The same plan in the order of two registries' forms: short answers, each with the section that says more."""

from __future__ import annotations

from django.utils.translation import gettext as _

from study.protocols.documents.parts import Sheet
from study.protocols.packs.plan_analysis import inference_words, primary, stopping_words
from study.protocols.packs.plan_design import allocation, analysed_words, exposed_words, lost_words, tasks
from study.protocols.packs.telling import filled, rule_words
from study.protocols.schema import ProtocolFile


def osf(sheet: Sheet, file: ProtocolFile) -> None:
    data, summary, interval = primary(file)
    randomised = len(file.arms) > 1
    sheet.heading(_("In the order of the OSF form"))
    for title, rows in (
        (
            _("Study information"),
            [
                (_("Title"), file.meta.public_title),
                (_("Description"), f"{filled(file, 'question')} {file.meta.summary}"),
                (_("Hypotheses"), filled(file, "hypotheses")),
            ],
        ),
        (
            _("Design plan"),
            [
                (
                    _("Study type"),
                    _(
                        "Experiment: cohorts that feed several arms are randomised; others are compared as "
                        "not randomised"
                    )
                    if randomised
                    else _("Observational: one arm, people rate one Org"),
                ),
                (
                    _("Blinding"),
                    _(
                        "People do not know what was held back until their ratings are locked; researchers and "
                        "coders see no "
                        "rating until ratings are opened for all (section 6)."
                    )
                    if file.disclosure == "origin_after"
                    else _("Researchers and coders see no rating until ratings are opened for all (section 6)."),
                ),
                (_("Study design"), _("See section 3. %(tasks)s") % {"tasks": tasks(file)}),
                (_("Randomization"), allocation(file)),
            ],
        ),
        (
            _("Sampling plan"),
            [
                (_("Existing data"), _("Registration before any data of this study were collected (section 2).")),
                (
                    _("Data collection procedures"),
                    f"{filled(file, 'population')} {filled(file, 'channels')} "
                    + _("Rule: %(rule)s.") % {"rule": rule_words(file.screener.eligibility.rule, file)},
                ),
                (
                    _("Sample size"),
                    _("%(n)d for each of %(arms)d arm(s), at most %(most)d begin")
                    % {"n": file.analysis.n_target, "arms": len(file.arms), "most": file.analysis.n_max},
                ),
                (_("Sample size rationale"), filled(file, "sample_rationale")),
                (_("Stopping rule"), stopping_words(file)),
            ],
        ),
        (
            _("Variables"),
            [
                (_("Manipulated variables"), ", ".join(arm.label for arm in file.arms) if randomised else _("none")),
                (
                    _("Measured variables"),
                    _(
                        "Ratings of the Org and of each object on five points, with “can't judge”; "
                        "reasons; tasks "
                        "with answers; the use of the CRM; screener and closing questions."
                    ),
                ),
                (_("Indices"), f"{summary}. {data}."),
            ],
        ),
        (
            _("Analysis plan"),
            [
                (_("Statistical models"), f"{interval}. " + _("Sections 7 and 11.")),
                (_("Transformations"), _("Approval: 4 or 5 of five points; no other.")),
                (_("Inference criteria"), inference_words(file)),
                (
                    _("Data exclusion"),
                    _("Only: %(list)s Sets: analysed is %(set)s.")
                    % {"list": _exclusions(file), "set": analysed_words(file)},
                ),
                (
                    _("Missing data"),
                    _("Section 8; of lost people: %(lost)s.") % {"lost": lost_words(file)},
                ),
                (_("Exploratory analysis"), _("Rows X of section 7, labelled.")),
            ],
        ),
        (_("Other"), [(_("Other"), _("What would change our mind: %(list)s") % {"list": filled(file, "change_mind")})]),
    ):
        sheet.heading(title, 2)
        sheet.facts(rows)  # fmt: skip


def _exclusions(file: ProtocolFile) -> str:
    return " ".join(one.text for one in file.exclusions) or _("[still empty: %(key)s]") % {"key": "exclusions"}


def as_predicted(sheet: Sheet, file: ProtocolFile) -> None:
    _data, summary, interval = primary(file)
    sheet.heading(_("In the order of the AsPredicted form"))
    sheet.facts([
        (_("1. Have any data been collected for this study "
           "already?"), _("No; registered before the first person consents.")),
        (_("2. What's the main question being asked or hypothesis being tested?"),
         f"{filled(file, 'question')} {filled(file, 'hypotheses')}"),
        (_("3. Key dependent variable(s), and how they are measured"), f"{summary}; "
         + _("five labelled points from Very Unrealistic to Very Realistic, “can't judge” apart.")),
        (_("4. How many and which conditions"), f"{len(file.arms)}: " + ", ".join(arm.label for arm in file.arms)
         + f". {allocation(file)}"),
        (_("5. Analyses for the main question"), f"{interval}. {inference_words(file)}"),
        (_("6. Outliers and exclusions"), _("No outlier is removed. Left out only: %(list)s "
                                            "Exposed means %(exposed)s.") % {
            "list": _exclusions(file), "exposed": exposed_words(file)}),
        (_("7. How many observations, and what decides it"), stopping_words(file)),
        (_("8. Anything else"), _("Secondary and exploratory rows, sensitivity, intercurrent events: "
                                  "sections 7, 8 and 12.")),
    ])  # fmt: skip
