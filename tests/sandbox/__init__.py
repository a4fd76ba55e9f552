"""What keeps bots from the machine and from each other."""
