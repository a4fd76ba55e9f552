"""How an extra of arena is installed. The package is on no registry, so a name alone installs nothing."""


def install(extra: str) -> str:
    """The command that installs arena with one of its extras, such as ``dask``, and where it works."""
    return f"pip install '.[{extra}]' in a checkout of arena"
