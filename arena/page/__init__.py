"""Values as pages: one HTML file each, with its style, its script and its data in it. Knows no game and no file.

Markup is made with htpy, which escapes all text; nothing from a bot becomes markup, style or script. Only ``serving``
knows a network, and of that only this machine.
"""
