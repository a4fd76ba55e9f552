"""Formats of a tournament: who plays whom next, from what was played so far. Pure; one file a format.

A format is a ``msgspec.Struct`` whose fields are its options, with defaults, and which has one method::

    def play(self, terms: Terms) -> Play          # Generator[Round, tuple[Played, ...], Result]

It yields a ``Round``, a list of line-ups of which each is a whole block; is sent a ``Played`` for each of them, in the
order of the line-ups; yields the next round, or returns its ``Result``. It may use the terms, what it is sent, and
chance drawn from ``terms.key``: no clock, no file, no other chance. So every pairing can be derived again from the
entrants, the key and the recorded matches, and nothing of it has to be stored.

``Progress`` is how a runner holds a format. It never sees the generator::

    progress = Progress(made("swiss", {"rounds": 9}), terms)
    while (current := progress.round) is not None:
        played = ...                              # a Played for each of current.line_ups, in any order
        progress.finish(played)
    progress.result

To resume, a run makes a new ``Progress`` and hands in the recorded rounds again. The blocks of a run are numbered
through its rounds: those of the present round begin with ``progress.first_block``. A void match is ``None`` among the
ranks of its block. What a format yields is held against the law of a round: whole line-ups of distinct entrants, and no
round without one. Other packages add formats by the entry-point group ``arena.formats`` (name -> the struct).

Each match of a block has its seats rotated, so ranks belong to other bots in each: ``points(bots, played)`` says by bot
which share of opponents it finished ahead of, best first, and ``Played.matches`` gives line-up and ranks of each match.

A format knows chance, ratings and the pure ``arena.formats.schedule``; it knows no game, run, record or process.
"""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
