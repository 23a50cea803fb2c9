"""What must happen when somebody's part ends, told by the apps that know more than this one.

``people`` imports neither assignment nor fieldwork. They register a function in
their ``AppConfig.ready``; it runs inside the transaction that ends the
participation, so the end and what follows from it are one act.
"""

from __future__ import annotations

from collections.abc import Callable

from study.people.models import Participant, Screening

Hook = Callable[[Participant], None]
_ended: list[Hook] = []
_taken_out: list[Hook] = []
_left_out: list[Hook] = []

KEEP = "keep"
TAKE_OUT = "take_out"


def when_ended(hook: Hook) -> Hook:
    """Call ``hook(participant)`` at every end, ``participant.end`` says which (places go back, desks close)."""
    if hook not in _ended:
        _ended.append(hook)
    return hook


def when_taken_out(hook: Hook) -> Hook:
    """Call ``hook(participant)`` when somebody asks for their answers to be taken out."""
    if hook not in _taken_out:
        _taken_out.append(hook)
    return hook


def when_left_out(hook: Hook) -> Hook:
    """Call ``hook(participant)`` when staff leave somebody out by a rule of the protocol, or take them in again."""
    if hook not in _left_out:
        _left_out.append(hook)
    return hook


def run_left_out(participant: Participant) -> None:
    for hook in _left_out:
        hook(participant)


def run_ended(participant: Participant) -> None:
    for hook in _ended:
        hook(participant)


def run_taken_out(participant: Participant) -> None:
    """Rows stay, so that counts stay honest; what was typed and chosen goes."""
    Screening.objects.filter(participant=participant).update(answers={}, order_shown={})
    for hook in _taken_out:
        hook(participant)
