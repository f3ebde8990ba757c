"""Foreign names in messages: shortened, and with the name that was probably meant."""

import difflib
from collections.abc import Iterable

_LONGEST = 80
_MOST = 200
_CUTOFF = 0.6


def quoted(text: str) -> str:
    """A foreign name in quotes, cut off where it is long."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def meant(wanted: str, names: Iterable[str]) -> str:
    """``; did you mean 'fp8'?``, or "" when no name is like the wanted one.

    Long names and all but some hundred names are passed over: comparing two names takes the product
    of their lengths, and both come from foreign files.
    """
    name = near(wanted, names)
    return f"; did you mean {quoted(name)}?" if name else ""


def near(wanted: str, names: Iterable[str]) -> str:
    """The name that is most like a wanted one, "" when none is; equal names in other case first."""
    if len(wanted) > _LONGEST:
        return ""
    folded = wanted.casefold()
    pool: list[str] = []
    for name in names:
        if name.casefold() == folded:
            return name
        if len(pool) < _MOST and len(name) <= _LONGEST:
            pool.append(name)
    return next(iter(difflib.get_close_matches(wanted, pool, n=1, cutoff=_CUTOFF)), "")
