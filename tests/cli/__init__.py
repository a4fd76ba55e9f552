"""The real command, started as a user starts it."""
