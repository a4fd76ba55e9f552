"""What each bot gets in whose company, to take away: a matrix by pairs, a tensor by line-ups. Knows no run or file."""

from collections.abc import Iterator
from io import BytesIO
from math import isnan
from typing import Any

from msgspec import Struct

from arena.escape import plain
from arena.identity import Identity
from arena.numeric import Array, np
from arena.report.document import Section, Table
from arena.results.columns import Results
from arena.results.measure import DIGITS
from arena.results.tally import count_places

_WIDEST, _CELLS = 8, 10**6
COLUMNS = ("lineup", "bot", "matches", "payoff")


class Payoffs(Struct, frozen=True, eq=False, kw_only=True):
    """Mean payoffs over matches: scores where they count, else the share of the others beaten less the share lost to.

    Copies of a bot are one bot, so a line-up may hold it more than once.
    """

    bots: tuple[str, ...]
    lineups: Array
    """A row each: the places of its bots among ``bots``, rising, -1 beyond the last."""
    matches: Array
    means: Array
    """By line-up what the bot at each place got; 0 beyond the last."""
    matrix: Array
    """By two bots half of what the one got more than the other in the matches of both; NaN if they never met."""
    met: Array
    """By two bots in how many matches they met."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each line-up and bot in it."""
        for lineup, matches, means in zip(self.lineups.tolist(), self.matches.tolist(), self.means, strict=True):
            names = [self.bots[bot] for bot in lineup if bot >= 0]
            by_bot = dict(zip(names, means.tolist(), strict=False))
            for bot, mean in by_bot.items():
                values = (" ".join(names), bot, matches, round(mean, DIGITS))
                yield dict(zip(COLUMNS, values, strict=True))

    def data(self) -> dict[str, Any]:
        """All of it for JSON; null where two bots never met."""
        matrix = [[None if isnan(cell) else round(cell, DIGITS) for cell in row] for row in self.matrix.tolist()]
        return {"bots": self.bots, "matrix": matrix, "met": self.met.tolist(), "lineups": list(self.rows())}

    def tensor(self) -> "Array | None":
        """What the first bot got against the others, an axis a seat; NaN for a line-up that was not played.

        None where matches have several numbers of seats, or there would be more than a million cells.
        """
        size, seats = len(self.bots), self.lineups.shape[1]
        if (self.lineups < 0).any() or not len(self.lineups) or size**seats > _CELLS:
            return None
        from itertools import permutations  # noqa: PLC0415 - few ask for it

        tensor = np.full((size,) * seats, np.nan)
        for lineup, means in zip(self.lineups.tolist(), self.means, strict=True):
            for order in permutations(range(seats)):
                tensor[tuple([lineup[place] for place in order])] = means[order[0]]
        return tensor

    def npz(self) -> bytes:
        """The arrays as a file of NumPy; without ``tensor`` where there is none."""
        arrays: dict[str, Any] = {"bots": np.array(self.bots), "matrix": self.matrix, "met": self.met}
        arrays |= {"lineups": self.lineups, "matches": self.matches, "payoffs": self.means}
        if (tensor := self.tensor()) is not None:
            arrays["tensor"] = tensor
        np.savez_compressed(buffer := BytesIO(), **arrays)
        return buffer.getvalue()

    def section(self) -> Section:
        """For people the matrix, where it is small."""
        names = [plain(bot, 18) for bot in self.bots]
        lines = [
            {"payoff": name}
            | {other: "" if isnan(cell) else f"{cell:+.3f}" for other, cell in zip(names, row, strict=True)}
            for name, row in zip(names, self.matrix.tolist(), strict=True)
        ]
        small = len(names) <= _WIDEST
        notes = ["Half of what the bot of the row got more than that of the column, in the matches of both."]
        notes += (
            ["--format json, csv or npz has the line-ups."] if small else ["--format json, csv or npz has them all."]
        )
        tables = (Table(rows=lines, left_columns=("payoff",)),) * small
        rows = list(self.rows())
        return Section(
            name="payoff", headline="Payoffs", tables=tables, notes=notes, width=78, rows=rows, columns=COLUMNS
        )


def payoffs_of(results: Results, *, by_score: bool) -> Payoffs:
    """The payoffs of all matches that were played."""
    columns, rows = results.columns, results.played
    entrants = [str(Identity.of(name)._replace(copy=1)) for name in results.bots]
    names = sorted({*entrants})
    place = np.array([*map(names.index, entrants), len(names)])
    bots, seats = place[columns.bots[rows]], columns.seats[rows].astype(np.int64)
    ahead, level = (count.astype(np.int64) for count in count_places(columns.ranks[rows]))
    earned = columns.scores[rows].astype(float)
    if not by_score:
        earned = (seats[:, None] - 2 * ahead - level) / (seats[:, None] - 1)
    order = np.argsort(bots, axis=1, kind="stable")
    bots, earned = np.take_along_axis(bots, order, 1), np.take_along_axis(earned, order, 1)
    here = bots < len(names)
    earned = np.where(here, earned, 0.0)
    lineups, inverse = np.unique(bots, axis=0, return_inverse=True)
    matches = np.bincount(inverse.reshape(-1), minlength=len(lineups))
    totals = np.zeros(lineups.shape)
    np.add.at(totals, inverse.reshape(-1), earned)
    means = totals / np.maximum(matches, 1)[:, None]
    for lineup, of_lineup in zip(lineups, means, strict=True):
        for bot in {*lineup.tolist()}:
            of_lineup[lineup == bot] = of_lineup[lineup == bot].mean()
    size = len(names) + 1
    gains, met = np.zeros((size, size)), np.zeros((size, size), np.int64)
    for first in range(bots.shape[1]):
        for second in range(bots.shape[1]):
            apart = (bots[:, first] != bots[:, second]) & here[:, first] & here[:, second]
            pair = bots[apart, first], bots[apart, second]
            np.add.at(gains, pair, (earned[apart, first] - earned[apart, second]) / 2)
            np.add.at(met, pair, 1)
    met, gains = met[:-1, :-1], gains[:-1, :-1]
    matrix = np.where(met > 0, gains / np.maximum(met, 1), np.nan)
    np.fill_diagonal(matrix, 0.0)
    return Payoffs(
        bots=tuple(names),
        lineups=np.where(lineups < len(names), lineups, -1),
        matches=matches,
        means=means,
        matrix=matrix,
        met=met,
    )
