"""What every part of a world builds on: chance, Ids, the calendar, words, and the things the parts hand to each other."""
