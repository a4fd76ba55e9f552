"""A book for each game: its census, its redeal and its planted leaks, written from the rulebook."""
