"""The tree search and the bot that plays by it."""
