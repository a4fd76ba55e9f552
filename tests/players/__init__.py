"""Bot files, builds, processes and the bots that ship with arena."""
