"""What a tournament promises."""
