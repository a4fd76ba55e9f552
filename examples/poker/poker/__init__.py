"""Two games of poker so small that they are solved: ``poker.kuhn`` and ``poker.leduc``."""
