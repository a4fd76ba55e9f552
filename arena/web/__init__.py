"""Servers for browsers on this machine: a run while it is played, and the seat of a person.

``arena.page`` makes the pages. This room knows no command and no option.
"""
