"""Small matrix products and eigenvalues: BLAS with one thread.

For matrices of a few hundred rows the threads of BLAS cost more in waiting for each
other than they win, and on a busy machine twenty times more. Work is spread over cores
by joblib instead.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


def one_blas_thread() -> AbstractContextManager[Any]:
    """Let BLAS use one thread in this process, and as many as before on leaving.

    Returns
    -------
    context manager
        If several threads use it at once, only the first may change the limit.
    """
    manager: AbstractContextManager[Any] = _controller().limit(
        limits=1, user_api="blas"
    )
    return manager


@cache
def _controller() -> Any:
    """Look for BLAS once: that takes milliseconds."""
    return ThreadpoolController()
