"""The forms of one instance, by hand: what its requester knows, and three ways its question opens."""

from __future__ import annotations

QUESTION = "In the past six weeks, which agent given more than 4 cases had the longest average handle time?"
FACTS = [
    {"topic": "handle_time", "text": "Handle time runs from opened to closed.", "short": "Opened to closed.",
     "wrong": "Handle time runs from the first answer.", "needed": True, "stage": 1},
    {"topic": "eligible", "text": "Number of cases is how many were given.", "short": "How many were given.",
     "wrong": "How many were closed.", "needed": True, "stage": 1},
    {"topic": "handed_on", "text": "A case that was handed on is left out.", "short": "Not those handed on.",
     "wrong": "A handed-on case counts for the last agent.", "needed": True, "stage": 2},
    {"topic": "period", "text": "The past six weeks.", "short": "Six weeks.", "wrong": "The past month.",
     "needed": True, "stage": 1},
    {"topic": "bar", "text": "More than 4 cases.", "short": "Over 4.", "wrong": "At least 2 cases.",
     "needed": True, "stage": 1},
    {"topic": "direction", "text": "The longest average.", "short": "Longest.", "wrong": "The shortest.",
     "needed": True, "stage": 1},
    {"topic": "deadline", "text": "By Friday.", "needed": False, "stage": 1},
    {"topic": "purpose", "text": "For the staffing review.", "needed": False, "stage": 1},
]  # fmt: skip
FORMS = {
    "facts": FACTS,
    "forms": {
        "none": {"opening": QUESTION, "told": [0, 1, 2, 3, 4, 5], "withheld": []},
        "policy": {"opening": QUESTION, "told": [3, 4, 5], "withheld": [0, 1, 2]},
        "definitions": {"opening": "Which agent stands out?", "told": [0, 1, 2], "withheld": [3, 4, 5]},
    },
}
DEFINITIONS = " ".join(str(fact["text"]) for fact in FACTS[:6])
