"""Self-play: bots in Python that answer in this process, many matches on all cores. No messages, no clocks."""
