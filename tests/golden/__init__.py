"""The mistakes of an evening, and what arena says to them."""
