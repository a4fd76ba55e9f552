"""The game Dockfight: push your luck for Catch Sets, and hold Fisherman Frank when you have three.

Knows the contract and the modules of its own folder.
"""

from arena.game import Game
from arena.games.dockfight.events import Event, Option
from arena.games.dockfight.imagine import imagine
from arena.games.dockfight.luck import luck
from arena.games.dockfight.observation import LEGEND, Observation, looks, question, view
from arena.games.dockfight.rules import Dockfight, deal
from arena.structs import union_of

GAME = Game(
    name="dockfight",
    title="12 Days of Fishing: Dockfight",
    version="2",
    seats=range(2, 7),
    usual_seats=3,
    deal=deal,
    imagine=imagine,
    state=Dockfight,
    observation=Observation,
    option=Option,
    event=union_of(Event),
    question=question,
    view=view,
    looks=looks,
    legend=LEGEND,
    luck=luck,
)
