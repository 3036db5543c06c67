"""Draws that would have refuted it: the drawn tests of releases, and the bugs that they must see."""
