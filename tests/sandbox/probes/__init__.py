"""Attacks that the tests try besides those of a proof, and what one bot may use up of what its rival needs."""
