"""The progress of a format: the next round to be played, until there is a result. Knows no format in particular."""

from collections.abc import Iterable

from arena.formats.format import Format, Play, Played, Result, Round, Terms


class Unlawful(ValueError):
    """A format asks for an impossible round, or gets an outcome of a block that was not played."""


class Progress:
    """Holds a format, so that its rounds are lawful and nothing depends on the order in which blocks end."""

    def __init__(self, held: Format, terms: Terms) -> None:
        """Derive the first round.

        Raises:
            Unlawful: the terms or the round cannot be played.
            ValueError: the format's options do not go with the terms.
        """
        if not 2 <= terms.seats <= len(terms.entrants):  # noqa: PLR2004 - one bot plays nobody
            expected = f"2 to {len(terms.entrants)} seats for {len(terms.entrants)} entrants"
            raise Unlawful(f"expected {expected}, got {terms.seats}")
        if len(set(terms.entrants)) < len(terms.entrants):
            raise Unlawful(f"expected distinct entrants, got {', '.join(terms.entrants)}")
        if terms.blocks < 1:
            raise Unlawful(f"expected 1 block or more, got {terms.blocks}")
        self.terms = terms
        self.rounds: list[Round] = []
        """Those before the present one, and it."""
        self.first_block = 0
        """The number of the first block of the present round, counted through the rounds."""
        self.round: Round | None = None
        self.result: Result | None = None
        self._play: Play = held.play(terms)
        self._take()

    def finish(self, played: Iterable[Played]) -> None:
        """Hand in the present round, in any order; the next one follows, or the result.

        Raises:
            Unlawful: there is no round; or these are not its line-ups, each once, each with ranks or None by rotation.
        """
        if self.round is None:
            raise Unlawful("expected a round that is to be played, got the outcome of one after the last")
        found = tuple(sorted(played, key=lambda each: each.number))
        if [(each.number, each.line_up) for each in found] != list(enumerate(self.round.line_ups)):
            got = f"{len(found)} blocks" if len(found) != len(self.round.line_ups) else "others"
            raise Unlawful(f"{self.round.title}: expected its {len(self.round.line_ups)} line-ups each once, got {got}")
        for each in found:
            sizes = {len(ranks) for ranks in each.ranks if ranks is not None}
            if len(each.ranks) != self.terms.seats or sizes - {self.terms.seats}:
                expected = f"{self.terms.seats} rotations of {self.terms.seats} ranks"
                raise Unlawful(f"{self.round.title}, line-up {each.number}: expected {expected}, got {each.ranks}")
        self.first_block += len(found)
        self._take(found)

    def _take(self, played: tuple[Played, ...] | None = None) -> None:
        try:
            taken = next(self._play) if played is None else self._play.send(played)
        except StopIteration as stop:
            self.round, self.result = None, self._lawful_result(stop.value)
            return
        self.round = self._lawful(taken)
        self.rounds.append(taken)

    def _lawful(self, taken: Round) -> Round:
        if not taken.line_ups:
            raise Unlawful(f"{taken.title}: expected a line-up in a round, got none")
        known = set(self.terms.entrants)
        for line_up in taken.line_ups:
            if len(line_up) != self.terms.seats or len(set(line_up)) < len(line_up) or not known.issuperset(line_up):
                expected = f"line-ups of {self.terms.seats} distinct entrants"
                raise Unlawful(f"{taken.title}: expected {expected}, got {', '.join(line_up)}")
        return taken

    def _lawful_result(self, result: Result) -> Result:
        if sorted(place.bot for place in result.places) != sorted(self.terms.entrants):
            raise Unlawful(f"expected a place for each of {len(self.terms.entrants)} entrants, got {result.places}")
        return result
