"""Sections 7 and 9 to 15 of the plan: estimands, sets, size, inference, sensitivity, what may be said."""

from __future__ import annotations

from django.utils.translation import gettext as _

from study.protocols.checks_analysis import objects_of
from study.protocols.documents.parts import Sheet
from study.protocols.packs.plan_design import analysed_words, exposed_words
from study.protocols.packs.telling import percent, place
from study.protocols.schema import ProtocolFile


def primary(file: ProtocolFile) -> tuple[str, str, str]:
    """Data, summary and interval of the primary estimand."""
    objects = " / ".join(str(arm.rate_each or len(arm.plans[0].rate)) for arm in file.arms)
    return {
        "mean_over_objects": (
            _("valid ratings of objects"),
            _("mean over the %(n)s frozen objects of the share Realistic or Very Realistic") % {"n": objects},
            _("cluster Wilson, raters as clusters; Orgs as outer clusters where there are several"),
        ),
        "org_approval": (
            _("valid ratings of the Org"),
            _("share of raters who said Realistic or Very Realistic"),
            _("Wilson"),
        ),
        "pooled_share": (
            _("valid ratings of objects"),
            _("share Realistic or Very Realistic of all ratings"),
            _("cluster Wilson, raters as clusters"),
        ),
    }[file.analysis.primary]


def estimands(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("7. Outcomes and estimands, in the order of claims"), 2)
    data, summary, interval = primary(file)
    rows = [("P", _("fidelity"), f"{data}, {_('analysed set')}", summary, interval)]
    dossiers = any(one.cards and one.cards.kind == "dossiers" for one in file.modules)
    if dossiers or len(file.arms) > 1 or any(len(arm.plans) > 1 for arm in file.arms):
        rows.append(("K1", _("sensitivity, where a "
                             "control is among the Orgs or cards"), _("Org and its shuffled control"),
                     _("difference in "
                       "approval, within raters"), _("t on raters' differences; sign-flip p")))  # fmt: skip
    if len(file.arms) > 1:
        names = " − ".join(arm.code for arm in file.arms)
        rows.append(("K2", _("contrast of arms: %(arms)s") % {"arms": names}, _("as P"), _("the same difference"),
                     _equivalence(file)))  # fmt: skip
    if file.meta.replicates:
        rows.append(("K3", _("against the published figure"), _("as P, common objects"), _("difference; historical"),
                     _("both variances, ρ from 0 to .3")))  # fmt: skip
    rows.append(("S", _("Org approval; pooled share; each object; informed approval; mean score; coverage; task "
                        "realism; "
                        "gap to one's own system; success by skill; agreement (α, AC2, ICC)"), _("analysed set"), "–",
                 _("Wilson, cluster Wilson or jackknife")))  # fmt: skip
    rows.append(("X", _("order, period, dimensions, themes, guesses and other moderators"), _("analysed set"), "–",
                 _("unadjusted, labelled as exploratory")))  # fmt: skip
    sheet.table(("#", _("Estimand"), _("Data"), _("Summary"), _("Interval")), rows)


def sets(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("9. Sets"), 2)
    sheet.facts([
        (_("eligible"), _("meets the rule of the screener")),
        (_("started"), _("consented and opened the first task")),
        (_("exposed"), exposed_words(file)),
        (_("analysed (primary)"), analysed_words(file)),
        (_("complete"), _("reached the last page")),
    ])  # fmt: skip
    sheet.say(_("Marks of quality move nobody between sets. Everybody who rated anything: a sensitivity row. "
                "Dropouts are "
                "replaced until the analysed reach the target or those who started reach the maximum."))  # fmt: skip


def _equivalence(file: ProtocolFile) -> str:
    margin = file.analysis.margin
    if margin is None:
        return _("the same; no margin was set, so no equivalence is claimed")
    return _("the same; equivalence by two one-sided tests, ± %(points)s") % {"points": points(margin)}


def points(share: float) -> str:
    return _("%(n)g points") % {"n": 100 * share}


def stopping_words(file: ProtocolFile) -> str:
    analysis = file.analysis
    rule = analysis.stopping
    if rule.rule == "fixed":
        return _("A fixed number: %(n)d analysed for each arm, no looks; at most %(most)d begin.") % {
            "n": analysis.n_target, "most": analysis.n_max}  # fmt: skip
    said = _("%(n)d analysed are aimed at for each arm.") % {"n": analysis.n_target}
    blind = _("A look shows “enough” or “not yet”. Those who have begun when it stops finish, are paid and count.")
    if rule.rule == "alpha_spending":
        names = {"obrien_fleming": "O'Brien–Fleming", "pocock": "Pocock"}
        looks = _(
            "%(looks)s looks, equally spaced up to them, each a two-sided test of P against %(against)s with alpha "
            "spending of the type %(spending)s; stop when its bound is crossed, or at %(most)d."
        ) % {"looks": rule.looks, "against": percent(rule.against or 0), "most": analysis.n_max,
             "spending": names.get(rule.spending or "", "")}  # fmt: skip
        return f"{said} {looks} {blind}"
    what = _("the interval of P") if rule.rule == "precision" else _("the confidence sequence of P")
    looks = _(
        "First look at %(first)s analysed raters, then every %(every)s; stop when half the width of %(what)s is at "
        "most %(points)s, or at %(most)d."
    ) % {"first": rule.first_look, "every": rule.every, "what": what, "most": analysis.n_max,
         "points": points(rule.half_width or 0)}  # fmt: skip
    return f"{said} {looks} {blind}"


def planned_words(file: ProtocolFile) -> str:
    """What the number was planned with; empty where the protocol doesn't say."""
    planned = file.analysis.planned
    if planned is None:
        return ""
    return _(
        "Planned by simulation at an approval of %(share)s, a severity of raters of %(severity)g on the logit scale, "
        "%(objects)d objects, %(cannot)s can't judge, %(lost)s lost and a correlation of a rater's severity between "
        "Orgs of %(rho)g."
    ) % {
        "share": percent(planned.share), "severity": planned.severity_sd, "objects": objects_of(file),
        "cannot": percent(planned.cannot_judge), "lost": percent(planned.lost),
        "rho": planned.within_rater_correlation,
    }  # fmt: skip


def stopping(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("10. Size and stopping"), 2)
    sheet.say(stopping_words(file), planned_words(file), file.analysis.note or "")
    place(sheet, file, "sample_rationale")


def inference_words(file: ProtocolFile) -> str:
    return _(
        "P is estimated, not tested. Then the K claims above, if there are any, in their order, each at .05, stopping "
        "at the first that fails. Claims about single objects by Holm, screening by Benjamini and "
        "Hochberg. Intervals %(level)s."
    ) % {"level": percent(file.analysis.level)}


def inference(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("11. Inference and multiplicity"), 2)
    sheet.say(inference_words(file))


def sensitivity(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("12. Sensitivity rows, always all"), 2)
    sheet.bullets((
        _("the three headline estimands"),
        _("5 only against 4 and 5"),
        _("first click instead of the last"),
        _("informed ratings only"),
        _("exposure stricter and looser"),
        _("everybody who rated"),
        _("without people with two strong marks of quality"),
        _("without low ratings for which only the software was named"),
        _("worst and best for what was not judged"),
        _("each cohort; first visit only"),
        _("leave one rater out; leave one object out"),
    ))  # fmt: skip
    sheet.heading(_("13. Marks of quality"), 2)
    sheet.say(_("Strong: an object rated unseen in a study with looks; pages under 2 seconds an item, twice; "
                "random answers to anchors. All others are soft. Counted by rule and without "
                "regard to how somebody rated."))  # fmt: skip


def words_allowed(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("14. Sentences allowed"), 2)
    sheet.say(
        _(
            "“k of n professionals recruited through (channel) rated (scope) Realistic or Very Realistic; over the "
            "objects the mean approval was x % (interval l to u, n raters).” With more than one Org their number is "
            "added. When K1 fails, the headline is followed by: experts did not rate the Org above the same records "
            "with their connections destroyed. Published figures stand beside ours as historical: other screens, "
            "people and year. Equivalence only by its own test."
        )
    )
    sheet.heading(_("15. Words of participants"), 2)
    sheet.say(_("Two coders; the codebook is fixed after a tenth of the texts by a third person; agreement for each "
                "code with its interval; disagreements resolved and kept. Quotations only "
                "with the optional consent."))  # fmt: skip
