"""Players, which answer for seats: bot files, builds, subprocesses. Knows messages; no rules, records or schedule."""
