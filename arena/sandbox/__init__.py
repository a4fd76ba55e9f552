"""What a bot may touch of the machine, and how much of it. Standard library only; knows nothing else of arena."""
