"""What a league promises, through the real command."""
