from arena.results.columns import Results as Results
from arena.results.columns import block_number_of as block_number_of
from arena.results.measure import measure_of_game as measure_of_game
from arena.results.tally import count_places as count_places
from arena.results.tally import find_matches_of as find_matches_of
