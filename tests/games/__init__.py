"""What each game on the shelf must do, ruling by ruling."""
