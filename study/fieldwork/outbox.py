"""The key to a participant's outbox: what their browser keeps of unsent saves, it keeps encrypted (A7, P-05).

The key is derived, not stored: a keyed hash (SECRET_KEY) of the participant.
Only the save endpoint gives it, only to the signed-in participant, and the
browser holds it in memory alone. Whoever sits down next has another key.
"""

from __future__ import annotations

from base64 import b64encode

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from study.people.models import Participant

SALT = "study.fieldwork.outbox"


def key_for(participant: Participant) -> str:
    """256 bits in base64, the same each time for one participant."""
    value = f"{participant.pk}:{participant.code}"
    return b64encode(salted_hmac(SALT, value, algorithm="sha256").digest()).decode()


def words() -> dict[str, str]:
    """What the page says about unsent text."""
    return {
        "offline": _("You are offline. Kept in this browser; we will send it when you are back."),
        "unreached": _("The study can't be reached just now. Kept in this browser; it is sent by itself."),
        "page": _("Not sent yet, and this browser keeps nothing: the text is on this page only. Leave it open."),
        "full": _("Not sent yet, and no room is left in this browser: the text is on this page only. Leave it open."),
        "other": _("Someone else is signed in now. Nothing was sent; your text stays here."),
        "signed_out": _("You are signed out. Sign in in another tab; your text stays here and is sent then."),
        "stale": _("You typed something here earlier that did not arrive. Something else has been saved since."),
        "elsewhere": _("Something you typed earlier did not arrive, and something else is saved there now. Choose:"),
        "closed": _("Something you typed earlier came too late for its part. It is kept with your data."),
        "refused": _("Something you typed earlier could not be kept:"),
        "open": _("Open that page"),
        "dismiss": _("Remove it from this browser"),
        "conflict": _("Open in another tab too. That tab has saved something else; nothing is overwritten."),
        "theirs_is": _("Saved there:"),
        "mine_is": _("Typed here:"),
        "theirs": _("Use that one"),
        "mine": _("Keep what stands here"),
        "nothing": _("nothing"),
    }
