"""Output for a terminal: the progress of a run, a table as a picture, a match step by step, a person's seat.

The only room that uses rich. It knows no command and no option.
"""
