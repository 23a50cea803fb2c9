"""Low ratings whose every reason is the software (M10): the records may be fine, the screens were not."""

from __future__ import annotations

from analysis.bundle import Bundle

SOFTWARE = "software"
"""The tag "screens and software" of the box "What looked off"."""
LOW = 3


def software_only(bundle: Bundle) -> set[tuple[str, str, str]]:
    """Overall ratings of 3 or lower whose every off-note is tagged `software` and nothing else: (visit, kind, target).

    A rating without an off-note, or with one that nobody sorted, is not among them. Empty where tags are not known.
    """
    ratings, notes = bundle.frames["ratings"], bundle.frames["rationales"]
    overall = ratings["kind"].isin(["org", "object"]) & ratings["dimension"].isin(["", "overall"])
    low = ratings[overall & (ratings["final"] <= LOW).fillna(False)]
    places = set(zip(low["visit"], low["kind"], low["target"], strict=True))
    off = notes[notes["side"] == "off"]
    only: dict[tuple[str, str, str], bool] = {}
    for visit, kind, target, tags in zip(off["visit"], off["kind"], off["target"], off["tags"], strict=True):
        place = (visit, kind, target)
        only[place] = only.get(place, True) and isinstance(tags, list) and set(tags) == {SOFTWARE}
    return {place for place, software in only.items() if software and place in places}
