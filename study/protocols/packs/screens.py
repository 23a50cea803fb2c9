"""Every screen of the hour between consent and the debrief, in order, as the protocol words it."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.protocols.documents.parts import Sheet
from study.protocols.hour import Card
from study.protocols.packs.telling import modules
from study.protocols.schema import ProtocolFile


def screens(sheet: Sheet, file: ProtocolFile) -> None:
    _orientation(sheet, file)
    modules(sheet, file, "before_work")
    _work(sheet, file)
    modules(sheet, file, "after_each_task")
    _ratings(sheet, file)
    if file.modules_at("after_ratings"):
        sheet.heading(_("After the ratings"), 2)
        modules(sheet, file, "after_ratings")


def _orientation(sheet: Sheet, file: ProtocolFile) -> None:
    shown = file.orientation
    sheet.heading(
        _("Orientation, about %(n)d minutes: %(title)s") % {"n": file.clocks.orientation, "title": shown.title}, 2
    )
    sheet.words(shown.story, shown.role, shown.look)
    named = {api for arm in file.arms for plan in arm.plans for api in plan.orient}
    sheet.facts((f"{text.label} ({text.plural})", text.line) for text in file.objects if text.api in named)
    sheet.words("\n".join(f"- {note}" for note in shown.notes))
    if shown.moves:
        sheet.heading(_("Moves"), 3)
        sheet.words(shown.moves.intro, "\n".join(f"- {move.text} {move.help}" for move in shown.moves.items))
        sheet.words(f"- {shown.moves.leave}")
    if shown.practice:
        sheet.heading(_("Practice"), 3)
        sheet.words(shown.practice.question, f"- {shown.practice.right}\n- {shown.practice.other}")
    if shown.check:
        sheet.heading(_("Check"), 3)
        sheet.words(shown.check.intro)
        sheet.say(ngettext("%(n)d try, then the right answers are shown and the person goes on.",
                           "%(n)d tries, then the right answers are shown and the person goes on.",
                           shown.check.tries) % {"n": shown.check.tries})  # fmt: skip
        sheet.facts((item.text, item.explain) for item in shown.check.items)


def _work(sheet: Sheet, file: ProtocolFile) -> None:
    work = file.work
    sheet.heading(_("Work, at most %(n)d minutes") % {"n": file.clocks.work}, 2)
    sheet.words(work.intro, work.role_line)
    sheet.say(
        ngettext("%(n)d question, kinds drawn from:", "%(n)d questions, kinds drawn from:", file.tasks.count)
        % {"n": file.tasks.count}
    )
    sheet.facts((stratum.label, ", ".join(stratum.tasks)) for stratum in file.tasks.strata)
    other = [work.none_label, *([work.withheld_label] if work.confidentiality else [])]
    sheet.facts([(_("Besides an answer"), " · ".join(other)),
                 (_("Reasons to skip"), " · ".join(reason.text for reason in work.skip_reasons))])  # fmt: skip
    if work.requester:
        sheet.heading(work.requester.title, 3)
        sheet.words(work.requester.intro, work.requester.not_understood, work.requester.nothing_more)
        sheet.say(
            _("Replies come from texts written beforehand by fixed rules; nobody and nothing writes them freely.")
        )
    if file.help:
        sheet.heading(_("Replies to who asks for help"), 3)
        sheet.words("\n".join(f"- {reply.text}" for reply in file.help.replies))


def _card(sheet: Sheet, file: ProtocolFile, card: Card) -> None:
    sheet.words(card.stem)
    sheet.facts((option.label, option.line) for option in card.options)
    apart = file.rating.cannot_judge
    reasons = " · ".join(one.text for one in card.cannot_judge_reasons)
    sheet.facts([(apart.label, f"{apart.hint} {reasons}" if apart.hint else reasons)])


def _ratings(sheet: Sheet, file: ProtocolFile) -> None:
    rating = file.rating
    sheet.heading(_("Ratings, about %(n)d minutes") % {"n": file.clocks.ratings}, 2)
    sheet.words(rating.intro)
    sheet.heading(_("The CRM as a whole"), 3)
    _card(sheet, file, rating.org)
    sheet.heading(_("Each kind of record"), 3)
    rated = {api for arm in file.arms for plan in arm.plans for api in plan.rate}
    sheet.say(", ".join(text.plural for text in file.objects if text.api in rated))
    if rating.look:
        sheet.words(f"{rating.look.intro}", f"- {rating.look.unfamiliar}")
    _card(sheet, file, rating.object)
    why = rating.rationale
    boxes = [why.right, why.off] if why.boxes == "two" else [why.why or ""]
    sheet.facts([(_("Boxes for reasons"), " · ".join(boxes)), (_("Above every box"), file.wording.privacy),
                 (_("With every question that is asked"), file.wording.rather_not)])  # fmt: skip
    sheet.facts([(_("Shown once below %(n)d characters") % {"n": why.hint_below}, why.hint)])
    sheet.heading(rating.lock.title, 3)
    sheet.words(rating.lock.text, f"- {rating.lock.button}")
