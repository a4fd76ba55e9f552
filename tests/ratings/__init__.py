"""What the ratings promise."""
