"""The public library of arena; ``import arena`` gives its names."""
