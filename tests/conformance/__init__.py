"""Conformance: each sentence is held against a bot that breaks it, and only it."""
