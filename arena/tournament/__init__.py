"""Many matches: who sits where, what is secret, and the file that remembers what was played.

Data flows one way: schedule, lane, referee, record, journal. Knows neither the command line nor reports.
"""
