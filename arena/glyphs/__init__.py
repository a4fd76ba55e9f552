"""Silhouettes for cards as SVG path data, in a box of 48 by 32: any game may use them in its looks. Knows no game.

A silhouette is filled in one colour. A hole is wound the other way round, so the usual rule of filling leaves it out.
"""
