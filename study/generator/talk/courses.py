"""The courses letters take: what a thread is about, who writes in which turn, and when in the life of a deal."""

from __future__ import annotations

# What a thread is about -> courses it may take; "in" and "out" at the end say who writes.
COURSES: dict[str, tuple[tuple[str, ...], ...]] = {
    "intro": (("intro_out", "intro_in", "meeting_out"), ("intro_out", "intro_in"), ("intro_out",)),
    "again": (
        ("intro_again_in", "intro_again_out", "meeting_in"), ("intro_again_in", "intro_again_out"),
        ("intro_again_out", "intro_in"), ("intro_again_in", "intro_again_out", "question_in", "answer_out"),
    ),
    "meeting": (
        ("meeting_out", "meeting_in", "summary_out"), ("meeting_out", "meeting_in"), ("summary_out", "followup_in"),
        ("meeting_out", "meeting_in", "summary_out", "followup_in"),
    ),
    "question": (
        ("question_in", "answer_out"), ("question_in", "answer_out", "followup_in"),
        ("question_in", "answer_out", "question_in", "answer_out"),
    ),
    "quote": (
        ("quote_out", "quote_in", "quote_answer_out"), ("quote_out", "quote_in"), ("quote_out", "nudge_out", "late_in"),
        ("quote_out", "quote_in", "quote_answer_out", "followup_in"), ("quote_out",),
    ),
    "nudge": (
        ("nudge_out", "late_in"), ("nudge_out", "nudge_out", "late_in"), ("nudge_out", "away_in", "away_again_out"),
        ("nudge_out",), ("nudge_out", "late_in", "meeting_out"),
    ),
    "terms": (
        ("terms_in", "terms_out", "terms_reply_in"), ("terms_in", "terms_out"),
        ("terms_in", "terms_out", "terms_in", "terms_out", "terms_reply_in"), ("terms_in", "terms_out", "question_in"),
    ),
    "contract": (
        ("contract_out", "contract_in", "contract_answer_out"), ("contract_out", "contract_in"),
        ("contract_out", "contract_in", "contract_answer_out", "contract_in"),
    ),
    "order": (("order_out", "order_in", "order_answer_out"), ("order_out", "order_in"), ("order_out",)),
    "lost": (("lost_in", "lost_out"), ("lost_in",)),
    "checkin": (("checkin_out", "checkin_in"), ("checkin_out",), ("checkin_out", "checkin_in", "meeting_out")),
}  # fmt: skip
# What fills a deal that has more letters than its usual threads, by the furthest stage it reached.
MORE = {
    "Qualification": ("checkin", "question", "nudge"), "Discovery": ("question", "meeting", "checkin", "nudge"),
    "Quote": ("question", "nudge", "question", "meeting"), "Negotiation": ("question", "terms", "nudge"),
    "Closed": ("question", "terms", "meeting"),
}  # fmt: skip
# When within the life of a deal a thread may begin, as parts of it.
WHEN = {
    "intro": (0.0, 0.06), "again": (0.0, 0.06),
    "checkin": (0.15, 0.9), "meeting": (0.08, 0.4), "question": (0.1, 0.75), "nudge": (0.4, 0.9),
    "terms": (0.6, 0.9),
}  # fmt: skip
