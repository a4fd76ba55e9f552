"""Suites that every game on the shelf must pass. A game is found by its name; none is listed here."""
