"""A second way to every answer that has a rule: pandas on the exported tables."""
