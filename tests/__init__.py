"""The specification of arena, as tests: each docstring is a sentence of it.

Their environment is as in a user's shell: this file is run before any other of them.
"""

import os
import sys

# output without a buffer would hide what becomes of it at the end
for _name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(_name, None)
# else every worker and every command compiles all of the host again
sys.dont_write_bytecode = False
