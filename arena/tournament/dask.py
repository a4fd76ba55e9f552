"""The executor ``dask``: a cluster of dask.distributed. Knows addresses and tasks, no match.

The only door to the package ``distributed``, which comes with the extra ``dask``.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.extras import install
from arena.tournament.executors import Unreachable

if TYPE_CHECKING:
    from distributed import Client, Security

_SECONDS = 6
"""How long a scheduler may take to answer."""
_TLS = {"ca-file": "tls_ca_file", "client.cert": "tls_client_cert", "client.key": "tls_client_key"}
"""Keys of dask's configuration under ``distributed.comm.tls``, and what ``Security`` calls them."""


def executor(address: str) -> "Cluster":
    """The cluster whose scheduler listens at ``address``: ``host:port``, ``tcp://...`` or ``tls://...``.

    Certificates for TLS come from dask's own configuration.

    Raises:
        Unreachable: the package is not there, it is no address, or nobody answers there.
    """
    try:
        from distributed import Client, KilledWorker, Security  # noqa: PLC0415 - an extra, and slow to import
        from distributed.comm.core import connect  # noqa: PLC0415 - likewise
    except ModuleNotFoundError:
        raise Unreachable(f"expected the package distributed, got none; {install('dask')}") from None

    security = Security()
    if address.startswith("tls://"):
        _certificates(security)

    async def knock() -> None:
        comm = await connect(address, timeout=_SECONDS, **security.get_connection_args("client"))
        await comm.close()

    # distributed logs lost connections with tracebacks; arena reports them as one error
    for name in ("distributed", "distributed.client"):
        # dask's configuration gives each a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        # closing a client that has no scheduler would block; and another kind of server may answer anything
        asyncio.run(asyncio.wait_for(knock(), _SECONDS))
        client = Client(address, timeout=_SECONDS, set_as_default=False)
    except Exception as error:  # noqa: BLE001 - see above
        reason = str(error) or type(error).__name__
        raise Unreachable(f"expected a dask scheduler at {address}, got none: {reason}") from None
    return Cluster(client, (KilledWorker,))


def _certificates(security: "Security") -> None:
    """Check that the keys and files of TLS are there: dask's own errors name neither key nor file."""
    for key, attribute in _TLS.items():
        path = getattr(security, attribute)
        if path is None and key == "client.key":
            continue  # the key may be in the certificate's file
        # dask also accepts the certificate itself as text
        if not path or ("\n" not in path and not Path(path).is_file()):
            got = repr(path) if path else "none"
            raise Unreachable(f"expected a file by distributed.comm.tls.{key} of dask's configuration, got {got}")


class Cluster(Executor):
    """A client of a scheduler, with its executor and the optional attributes of ``arena.tournament.executors``."""

    def __init__(self, client: "Client", losses: tuple[type[BaseException], ...]) -> None:
        self.losses = losses
        self._client = client
        # dask takes equal tasks for one task, but a unit that is sent again is to be played again
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """As ``Executor``, for functions that are defined at the top of a module."""

        # a nested function is sent by value: a worker that cannot load a task ends, and first logs all of the task
        def by_name(name: str, *args: Any, **kwargs: Any) -> Any:
            import pkgutil  # noqa: PLC0415 - there is no module around it where it runs

            return pkgutil.resolve_name(name)(*args, **kwargs)

        name = f"{fn.__module__}:{fn.__qualname__}"
        future: Future[Any] = self._executor.submit(by_name, name, *args, **kwargs)
        return future

    def slots(self) -> int:
        """The threads of all present workers; a ``TimeoutError`` if the scheduler does not say so in time."""
        return sum(self._client.nthreads(callback_timeout=_SECONDS).values())

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - tasks that nobody waits for are cancelled
        """As ``Executor``; the cluster stays up."""
        self._executor.shutdown(wait=wait)
        self._client.close(timeout=2)
