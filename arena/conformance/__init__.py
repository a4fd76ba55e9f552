"""Whether a bot keeps to the protocol, sentence by sentence. Knows players, games and the referee; knows no run."""
