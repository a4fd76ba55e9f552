"""What the public library of arena is made of; ``import arena`` gives its names."""
