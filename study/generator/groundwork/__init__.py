"""What every part of a world builds on: chance, Ids, the calendar, words, and the things that parts hand on."""
