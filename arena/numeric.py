"""numpy, imported when something is first computed: that takes a tenth of a second, and most commands need none."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

_THREADS = "OPENBLAS_NUM_THREADS"

if TYPE_CHECKING:
    import numpy as np
else:

    class _Numpy:
        def __getattr__(self, name: str) -> Any:
            value = getattr(_loaded(), name)
            setattr(self, name, value)
            return value

    def _loaded() -> Any:
        # one thread: with another number of them sums are rounded otherwise
        before = os.environ.get(_THREADS)
        os.environ[_THREADS] = "1"
        try:
            return import_module("numpy")
        finally:
            if before is None:
                del os.environ[_THREADS]
            else:
                os.environ[_THREADS] = before

    np = _Numpy()

__all__ = ["Array", "np"]

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
