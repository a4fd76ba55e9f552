"""Games as environments."""
