"""What the reports promise."""
