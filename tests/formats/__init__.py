"""What formats promise."""
