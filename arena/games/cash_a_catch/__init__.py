"""Cash-a-Catch: an auction of fish by the bell, for 3 to 5 seats. What is printed on the box, and no rule of play."""

from arena.game import Game
from arena.games.cash_a_catch.cards import Option
from arena.games.cash_a_catch.events import Event
from arena.games.cash_a_catch.imagine import imagine
from arena.games.cash_a_catch.luck import luck
from arena.games.cash_a_catch.observation import LEGEND, Observation, looks, question, view
from arena.games.cash_a_catch.rules import CashACatch, deal
from arena.structs import union_of

GAME = Game(
    name="cash-a-catch",
    title="Cash-a-Catch",
    version="2",
    seats=range(3, 6),
    usual_seats=4,
    deal=deal,
    imagine=imagine,
    state=CashACatch,
    observation=Observation,
    option=Option,
    event=union_of(Event),
    variants={"bell": ("lot", "nearest")},
    question=question,
    view=view,
    looks=looks,
    legend=LEGEND,
    luck=luck,
)
