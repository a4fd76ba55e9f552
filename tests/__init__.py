"""The specification of arena, as tests: each docstring is a sentence of it."""
