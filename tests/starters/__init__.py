"""What a bot that is begun in a language promises."""
