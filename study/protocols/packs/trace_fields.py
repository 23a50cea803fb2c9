"""What is logged of the use of the CRM, field by field, with what it is for: told to people, boards and officers.

A test holds this list against the tables of the log, so that nothing is logged which is not told.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

EVENT = (
    ("sequence", _("number of the step within one question or part"), _("order of steps; to see that none is missing")),
    ("at", _("moment, by the server's clock"), _("time on questions and kinds of record")),
    ("kind", _("what it was: list, record, search, report …"), _("how people find answers")),
    ("object", _("kind of record"), _("whether what is rated was seen")),
    ("record", _("Id of the record in this CRM"), _("whether what is rated was seen; which evidence was reached")),
    (
        "query",
        _("what was searched or filtered, as a query of this CRM"),
        _("how people find answers; to show the page again"),
    ),
    ("n", _("how many rows the page showed"), _("whether a search led anywhere")),
    ("address", _("address of the page within this CRM"), _("to show the page again, where that was agreed to")),
)
PAGE = (
    ("sequence", _("the step it belongs to"), _("to tie it to its page")),
    ("visible_ms", _("how long the page was in view"), _("reading time, apart from time away")),
    ("focused_ms", _("how long its window was in front"), _("reading time, apart from time away")),
    ("idle_ms", _("how long nothing was touched while in view"), _("reading time, apart from time away")),
    ("copied", _("Ids of records of this CRM that were copied; no other text"), _("how answers come about")),
    ("width", _("width of the window's inside"), _("phone, tablet or computer")),
    ("odd", _("whether the browser's times cannot be"), _("to leave such times out")),
    ("at", _("moment it arrived"), _("to tie it to its page")),
)
