"""What ethics boards, data-protection officers and registries ask for and the hour itself does not say (M14)."""

from __future__ import annotations

from study.protocols.parts import Note, Part, Prose


class Recruitment(Part):
    """What people read before they come: a letter, an advertisement, the description on a panel."""

    channel: Note
    text: Prose


class Processor(Part):
    """Somebody who handles data for the team: mail, hosting, a panel."""

    name: Note
    purpose: Note
    place: Note


class Retention(Part):
    """How long one kind of data is kept."""

    what: Note
    how_long: Note


class Screening(Part):
    """One question of the screening for an impact assessment, with its answer."""

    question: Note
    answer: Note


class Papers(Part):
    """Facts for the ethics pack, the data-protection sheet and the registration. What is left out is listed there.

    ``change_mind``: thresholds beyond which the team would think otherwise. ``incomplete_disclosure``: why part is held
    back until the ratings are locked; asked for where ``disclosure`` is ``origin_after``. ``lawful_basis`` is that of
    data protection, which taking part by consent is not.
    """

    question: Note | None = None
    hypotheses: tuple[Note, ...] = ()
    change_mind: tuple[Note, ...] = ()
    population: Note | None = None
    channels: tuple[Note, ...] = ()
    sample_rationale: Note | None = None
    registry: Note | None = None
    release: Note | None = None

    recruitment: tuple[Recruitment, ...] = ()
    risks: tuple[Note, ...] = ()
    remedies: tuple[Note, ...] = ()
    benefits: Note | None = None
    ai_use: Note | None = None
    incomplete_disclosure: Note | None = None
    ethics_reference: Note | None = None
    complaints: Note | None = None
    withdrawal_until: Note | None = None

    controller: Note | None = None
    dpo: Note | None = None
    purpose: Note | None = None
    lawful_basis: Note | None = None
    categories: tuple[Note, ...] = ()
    recipients: tuple[Note, ...] = ()
    processors: tuple[Processor, ...] = ()
    places: Note | None = None
    transfers: Note | None = None
    retention: tuple[Retention, ...] = ()
    rights: Note | None = None
    pseudonym_key: Note | None = None
    dpia: tuple[Screening, ...] = ()
