"""Questions after the ratings as one visit meets them: each module with its items repeated for what they are about.

One list for pages, saves, completion, simulated experts and the bundle's codebook. An item of a module ``for_each``
becomes one per rated object (``own_Account``), per episode the person named (``episode_1``) or per question worked on
(``frequency_2``); ``{object}``, ``{objects}``, ``{episode}`` and ``{question}`` in its texts are filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from study.assignment.flows import has_more
from study.assignment.models import Visit
from study.fieldwork.models import Outcome
from study.fieldwork.ratings import inner
from study.people.models import Screening
from study.people.protocol import file_of
from study.protocols.design import ObjectText
from study.protocols.hour import Module, Position
from study.protocols.markup import fill
from study.protocols.parts import RATHER_NOT, Item
from study.protocols.schema import ProtocolFile

POSITION: Position = "after_ratings"
SHORTENED = 160
# Around words of another writing direction, so that they turn nothing else around.
FIRST_STRONG, POP = "\u2068", "\u2069"


@dataclass(frozen=True)
class About:
    """What one copy of the items is about: how its ids end, and the words for its texts."""

    suffix: str
    words: Mapping[str, str]


def modules_of(visit: Visit) -> tuple[Module, ...]:
    """The modules after the ratings that this visit is asked, items expanded, in file order.

    A module with nobody and nothing to be about (no episode was named) is not asked.
    """
    file = file_of(visit.protocol)
    found = []
    for module in file.modules_at(POSITION):
        if not _comes_now(module, visit):
            continue
        if module.for_each is None:
            found.append(module)
            continue
        items = tuple(_copies(module, _abouts(module, visit, file)))
        if items or module.cards is not None:
            found.append(module.model_copy(update={"items": items}))
    return tuple(found)


def items_of(visit: Visit) -> dict[str, Item]:
    """Every item this visit is asked after the ratings, by its id."""
    return {item.id: item for module in modules_of(visit) for item in module.items}


def possible_items(file: ProtocolFile) -> tuple[Item, ...]:
    """Every item anybody could be asked after the ratings, for a codebook; ``{episode}`` and ``{question}`` stay."""
    found: list[Item] = []
    for module in file.modules_at(POSITION):
        found += module.items if module.for_each is None else _copies(module, list(_possible(module, file)))
    return tuple(found)


def episodes_of(visit: Visit) -> list[tuple[int, str]]:
    """What the person said they had done lately, with the number of the line they said it in."""
    file = file_of(visit.protocol)
    asked = [item.id for item in _screened(file) if item.use == "episodes"]
    first = Screening.objects.filter(participant=visit.participant).order_by("number").first()
    answers = first.answers if first else {}
    texts: list[str] = []
    for item in asked:
        given = answers.get(item) or []
        texts += [] if given == RATHER_NOT else [given] if isinstance(given, str) else list(given)
    return [(n, text) for n, text in enumerate(texts, start=1) if str(text).strip()]


def _comes_now(module: Module, visit: Visit) -> bool:
    if module.visits == "first":
        return visit.period == 1
    return module.visits == "each" or not has_more(visit)


def _abouts(module: Module, visit: Visit, file: ProtocolFile) -> list[About]:
    if module.for_each == "object":
        rated = list(visit.object_order)
        return [_about_object(text) for text in file.objects if text.api in rated]
    if module.for_each == "episode":
        return [About(str(n), {"episode": isolated(text)}) for n, text in episodes_of(visit)]
    worked = visit.attempts.exclude(outcome__in=["", Outcome.NOT_REACHED]).select_related("place__instance")
    return [About(str(a.position), {"question": isolated(shortened(a.place.instance.question))}) for a in worked]


def _possible(module: Module, file: ProtocolFile) -> Iterator[About]:
    if module.for_each == "object":
        rated = {api for arm in file.arms for plan in arm.plans for api in plan.rate}
        yield from (_about_object(text) for text in file.objects if text.api in rated)
        return
    if module.for_each == "episode":
        most = sum(item.count for item in _screened(file) if item.use == "episodes")
    else:
        most = file.tasks.count
    yield from (About(str(n), {}) for n in range(1, most + 1))


def _screened(file: ProtocolFile) -> list[Item]:
    return [*file.screener.items, *(item for module in file.modules_at("screener") for item in module.items)]


def _about_object(text: ObjectText) -> About:
    return About(text.api, {"object": inner(text.label), "objects": inner(text.plural)})


def _copies(module: Module, abouts: list[About]) -> Iterator[Item]:
    """Item after item of one object, then of the next: what belongs together stands together."""
    for about in abouts:
        for item in module.items:
            yield _copy(item, about)


def _copy(item: Item, about: About) -> Item:
    say: Callable[[str], str] = lambda text: fill(text, **about.words)  # noqa: E731 one line, used thrice
    update: dict[str, object] = {"id": f"{item.id}_{about.suffix}", "text": say(item.text)}
    for name in ("hint", "low_label", "high_label"):
        if text := getattr(item, name):
            update[name] = say(text)
    return item.model_copy(update=update)


def isolated(text: str) -> str:
    return f"{FIRST_STRONG}{text}{POP}"


def shortened(text: str, most: int = SHORTENED) -> str:
    """The beginning of a question, to know it again by; cut between words."""
    said = " ".join(text.split())
    return said if len(said) <= most else said[:most].rsplit(" ", 1)[0].rstrip(",;:") + " …"
