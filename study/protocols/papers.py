"""What ethics boards, data-protection officers and registries ask for and the hour itself does not say (M14)."""

from __future__ import annotations

from study.protocols.parts import Note, Part


class Processor(Part):
    """Somebody who handles data for the team: mail, hosting, a panel."""

    name: Note
    purpose: Note
    place: Note


class Papers(Part):
    """Facts for the ethics pack, the data-protection sheet and the registration. What is left out is listed there."""

    question: Note | None = None
    population: Note | None = None
    controller: Note | None = None
    lawful_basis: Note | None = None
    processors: tuple[Processor, ...] = ()
