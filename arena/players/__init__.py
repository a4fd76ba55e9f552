"""Whoever answers for a seat: bot files, builds, subprocesses. Knows messages; knows no rules, records or schedule."""
