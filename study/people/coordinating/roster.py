"""The list of a study's people: filters that stand in the URL, pages of fifty, what each row says. Reading only.

Nothing here opens an encrypted field: contacts are read only where they are asked for (``with_contacts``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.models import Study
from study.people.coordinating import quiet
from study.people.coordinating.board import letter_words
from study.people.models import Contact, End, PanelArrival, Participant, ParticipantQuerySet, PaymentState, Stage
from study.people.sample.quotas import label_of

PAGE = 50
SEALED = tuple(f"contact__{name}" for name in ("email", "name", "phone", "notes", "panel_id"))
NOT_KNOWN = ("", "no", "rather_not_say")
_ALIKE = Q(same_address=True) | Q(odd_arrival__gt="") | ~Q(knows_other__in=NOT_KNOWN)
OPEN_PAY = (PaymentState.DUE, PaymentState.APPROVED, PaymentState.FAILED)

Narrow = Callable[[ParticipantQuerySet], ParticipantQuerySet]
ONLY: dict[str, tuple[Promise, Narrow]] = {
    "quiet": (gettext_lazy("Gone quiet"), lambda people: quiet.gone_quiet(people, timezone.now())),
    "not_begun": (gettext_lazy("Confirmed, not begun"), lambda people: quiet.not_begun(people, timezone.now())),
    "bounced": (
        gettext_lazy("Letters come back"),
        lambda people: people.filter(Q(contact__bounced_at__isnull=False) | Q(letters__state="bounced")).distinct(),
    ),
    "not_sent": (
        gettext_lazy("A letter was not sent"),
        lambda people: people.filter(letters__state="failed").distinct(),
    ),
    "unsubscribed": (
        gettext_lazy("Not to be written to"),
        lambda people: people.filter(contact__unsubscribed_at__isnull=False),
    ),
    "unpaid": (gettext_lazy("Not paid yet"), lambda people: people.filter(payments__state__in=OPEN_PAY).distinct()),
    "alike": (gettext_lazy("Look-alikes and odd arrivals"), lambda people: marked(people).filter(_ALIKE)),
    "excluded": (
        gettext_lazy("Excluded"),
        lambda people: people.filter(Q(end=End.EXCLUDED) | Q(excluded_at__isnull=False)),
    ),
    "erased": (gettext_lazy("Erased"), lambda people: people.filter(erased_at__isnull=False)),
}
GOING = "going"
SORTS = {"seen": (F("last_seen_at").desc(nulls_last=True), "-pk"), "code": ("code",), "invited": ("-invited_at", "-pk")}


@dataclass(frozen=True)
class Filters:
    """What the list is narrowed to. Only words of our own: nothing typed by anybody stands in the URL."""

    cohort: str = ""
    stage: str = ""
    end: str = ""
    only: str = ""
    sort: str = "seen"
    codes: tuple[str, ...] = field(default=())
    """Found by a search; never in a URL."""

    @classmethod
    def read(cls, form: Mapping[str, str]) -> Filters:
        """From a URL; anything unknown narrows nothing."""
        stage, end, only, sort = (form.get(name, "") for name in ("stage", "end", "only", "sort"))
        return cls(
            cohort=form.get("cohort", "")[:40],
            stage=stage if stage in Stage.values else "",
            end=end if end in (*End.values, GOING) else "",
            only=only if only in ONLY else "",
            sort=sort if sort in SORTS else "seen",
        )

    @property
    def query(self) -> str:
        """The filters as they stand in a URL."""
        named = {"cohort": self.cohort, "stage": self.stage, "end": self.end, "only": self.only}
        named |= {"sort": self.sort if self.sort != "seen" else ""}
        return urlencode({name: value for name, value in named.items() if value})

    @property
    def any(self) -> bool:
        return bool(self.cohort or self.stage or self.end or self.only)


def marked(people: ParticipantQuerySet) -> ParticipantQuerySet:
    """With what says that two rows may be one person: the same address in this study, a panel's odd parameters."""
    twins = Contact.objects.filter(participant__study=OuterRef("study"), email_hash=OuterRef("contact__email_hash"))
    twins = twins.exclude(email_hash="").exclude(participant=OuterRef("pk"))
    odd = PanelArrival.objects.filter(participant=OuterRef("pk")).exclude(flag="").order_by("-at").values("flag")
    return people.annotate(same_address=Exists(twins), odd_arrival=Subquery(odd[:1]))


def narrowed(study: Study, filters: Filters) -> ParticipantQuerySet:
    people = Participant.objects.people().filter(study=study)
    if filters.codes:
        people = people.filter(code__in=filters.codes)
    if filters.cohort:
        people = people.filter(cohort__code=filters.cohort)
    if filters.stage:
        people = people.filter(stage=filters.stage)
    if filters.end:
        people = people.filter(end="" if filters.end == GOING else filters.end)
    return ONLY[filters.only][1](people) if filters.only else people


@dataclass(frozen=True)
class Row:
    """One line. ``contact`` is empty unless addresses were asked for."""

    one: Participant
    where: str
    cell: str
    letter: str
    pay: str
    flags: tuple[str, ...]
    contact: str


def page_of(study: Study, filters: Filters, number: str, *, with_contacts: bool) -> tuple[Page[Participant], list[Row]]:
    """One page and its lines; the number of queries does not grow with the people."""
    found = marked(narrowed(study, filters)).order_by(*SORTS[filters.sort]).select_related("cohort", "contact")
    found = found.prefetch_related("letters", "payments")
    if not with_contacts:
        found = found.defer(*SEALED)
    page = Paginator(found, PAGE).get_page(number)
    return page, [row_of(one, with_contacts=with_contacts) for one in page]


def row_of(one: Participant, *, with_contacts: bool) -> Row:
    letters = sorted(one.letters.all(), key=lambda letter: (letter.sent_at or letter.due_at, letter.pk))
    last = letters[-1] if letters else None
    letter = f"{last.kind.replace('_', ' ')}: {letter_words(last)}" if last else ""
    contact = getattr(one, "contact", None)
    shown = (contact.email or contact.panel_id) if with_contacts and contact and not one.erased_at else ""
    return Row(one, where_words(one), cell_words(one), letter, pay_words(one), flags_of(one), shown)


def where_words(one: Participant) -> str:
    """How far they are, or how it ended."""
    return str(one.get_end_display() if one.end else one.get_stage_display()).capitalize()


def cell_words(one: Participant) -> str:
    """The quota cell they lie in, by the names of its groups."""
    return label_of(one.cohort.quota_axes, one.cell) if one.cell else ""


def pay_words(one: Participant) -> str:
    """The states of what is owed, each once, the open ones first."""
    order = {state: n for n, state in enumerate(("failed", "due", "approved", "sent", "paid", "cancelled"))}
    rows = sorted(one.payments.all(), key=lambda row: order.get(row.state, 9))
    return ", ".join(dict.fromkeys(str(row.get_state_display()) for row in rows))


def flags_of(one: Participant) -> tuple[str, ...]:
    """What somebody should know before they act; never anything about answers or ratings."""
    contact = getattr(one, "contact", None)
    told = (
        (one.erased_at, _("erased")),
        (one.excluded_at, _("excluded by rule")),
        (getattr(one, "same_address", False), _("same address as another")),
        (getattr(one, "odd_arrival", ""), _("odd arrival")),
        (one.knows_other not in NOT_KNOWN, _("says they know of it")),
        (contact and contact.bounced_at, _("address refused")),
        (contact and contact.unsubscribed_at, _("not to be written to")),
        (one.pilot, _("pilot")),
        (one.simulated, _("simulated")),
    )
    return tuple(words for true, words in told if true)


def counts(study: Study) -> dict[str, int]:
    """How many people there are in all, and how many are on their way."""
    people = Participant.objects.people().filter(study=study)
    return people.aggregate(all=Count("pk"), going=Count("pk", filter=Q(end="") & ~Q(stage=Stage.INVITED)))
