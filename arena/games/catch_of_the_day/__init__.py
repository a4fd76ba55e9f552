"""Catch of the Day: fish for the Requests of customers, for 4 to 8 seats. What is on the box, and no rule of play."""

from arena.game import Game
from arena.games.catch_of_the_day.events import Event, Option
from arena.games.catch_of_the_day.imagine import imagine
from arena.games.catch_of_the_day.observation import LEGEND, Observation, looks, question, view
from arena.games.catch_of_the_day.rules import CatchOfTheDay, deal
from arena.structs import union_of

GAME = Game(
    name="catch-of-the-day",
    title="Catch of the Day",
    version="2",
    seats=range(4, 9),
    usual_seats=4,
    deal=deal,
    imagine=imagine,
    state=CatchOfTheDay,
    observation=Observation,
    option=Option,
    event=union_of(Event),
    variants={"mode": ("basic", "advanced")},
    question=question,
    view=view,
    looks=looks,
    legend=LEGEND,
)
