"""Query instances of a generated Org, from its snapshot and its truth file alone."""
