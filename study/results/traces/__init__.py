"""The trace of a study, read in slices and written event by event: CSV and OCEL 2.0, however long it is."""
