"""The game Night Nets: what is printed on the box, and no rule of play."""

from arena.game import Game
from night_nets.rules import Cast, Hauled, NightNets, Observation, Scout, Sighted, deal, imagine
from night_nets.view import LEGEND, looks, question, view

GAME = Game(
    name="night-nets",
    title="Night Nets",
    version="1",
    seats=range(2, 5),
    usual_seats=3,
    deal=deal,
    imagine=imagine,
    state=NightNets,
    observation=Observation,
    option=Scout | Cast,
    event=Sighted | Hauled,
    variants={"nights": ("6", "8")},
    question=question,
    view=view,
    looks=looks,
    legend=LEGEND,
)
