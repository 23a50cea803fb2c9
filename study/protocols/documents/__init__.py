"""Papers as values: what a document says stands in one place, how it is written (Markdown, HTML, PDF) in three."""
