"""Tests of arena in CI: what a step is told, the action, the workflows of the examples."""
