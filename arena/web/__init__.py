"""What is served to browsers on this machine: a run while it is played, and the seat of a person.

The pages themselves are made in ``arena.page``. This room knows no command and no option.
"""
