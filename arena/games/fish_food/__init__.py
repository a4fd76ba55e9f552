"""The game Fish Food: grow to size 10 by eating smaller fish, and see to it that the others do not.

Knows the contract and the modules of its own folder.
"""

from arena.game import Game
from arena.games.fish_food.events import Event, Option
from arena.games.fish_food.imagine import imagine
from arena.games.fish_food.luck import luck
from arena.games.fish_food.observation import LEGEND, Observation, looks, question, view
from arena.games.fish_food.rules import FishFood, deal
from arena.structs import union_of

GAME = Game(
    name="fish-food",
    title="Fish Food",
    version="3",
    seats=range(2, 7),
    usual_seats=4,
    deal=deal,
    imagine=imagine,
    state=FishFood,
    observation=Observation,
    option=Option,
    event=union_of(Event),
    variants={
        "mode": ("standard", "beginner", "simple"),
        "events": ("auto", "keep", "remove", "off"),
        "ties": ("win", "tie"),
    },
    only_with={("events", "off"): ("mode", "simple"), ("ties", "tie"): ("mode", "simple")},
    question=question,
    view=view,
    looks=looks,
    legend=LEGEND,
    luck=luck,
)
