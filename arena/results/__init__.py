"""The matches of a run as columns of numbers: every table, list and chart is a function of these."""
