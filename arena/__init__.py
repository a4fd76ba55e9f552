"""A tournament runner and bot arena for card and dice games.

Knows only its own version, so that importing it costs nothing.
"""

__version__ = "0.1.0"
