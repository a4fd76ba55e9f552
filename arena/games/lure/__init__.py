"""Lure: secret dice, rolled for fish by those with the fewest first, for 2 to 5 seats. What is printed on the box.

Knows the contract and the modules of its own folder, and no rule of play.
"""

from arena.game import Game
from arena.games.lure.events import Event, Option
from arena.games.lure.imagine import imagine
from arena.games.lure.luck import luck
from arena.games.lure.observation import LEGEND, Observation, looks, question, view
from arena.games.lure.rules import LureState, deal
from arena.structs import union_of

GAME = Game(
    name="lure",
    title="Lure",
    version="2",
    seats=range(2, 6),
    usual_seats=4,
    deal=deal,
    imagine=imagine,
    state=LureState,
    observation=Observation,
    option=Option,
    event=union_of(Event),
    variants={"effects": ("on", "off")},
    question=question,
    view=view,
    looks=looks,
    legend=LEGEND,
    luck=luck,
)
