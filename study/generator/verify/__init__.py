"""Whether a generated Org holds what it should: formats, links, times, texts, facts."""
