"""The texts, all of which ship with Python: what the model was trained on, and what it never saw.

Two kinds: the prose of Python's language reference (``pydoc_data.topics``), of which every tenth
topic in sorted order is held out, and the source files of the modules named below. The bytes depend
on the Python version; README.md says which one the committed weights were trained with.
"""

from __future__ import annotations

import importlib.util
from importlib.abc import InspectLoader
from pydoc_data import topics
from typing import Final

TRAINING_MODULES: Final = (
    *("argparse", "ast", "asyncio.base_events", "asyncio.streams", "asyncio.tasks", "base64"),
    *("bdb", "calendar", "cmd", "collections", "configparser", "contextlib", "copy", "csv"),
    *("dataclasses", "datetime", "difflib", "dis", "doctest", "email.message", "enum"),
    *("fileinput", "ftplib", "functools", "getopt", "gettext", "gzip", "html.parser"),
    *("http.client", "http.cookiejar", "http.server", "imaplib", "inspect", "json.decoder"),
    *("locale", "logging", "mailbox", "multiprocessing.pool", "optparse", "pathlib", "pdb"),
    *("pickle", "pkgutil", "platform", "plistlib", "pprint", "pydoc", "random", "sched"),
    *("selectors", "shutil", "smtplib", "socket", "socketserver", "ssl", "string"),
    *("subprocess", "sysconfig", "tarfile", "tempfile", "threading", "timeit", "tokenize"),
    *("traceback", "typing", "unittest.case", "urllib.parse", "urllib.request", "uuid"),
    *("warnings", "weakref", "xml.dom.minidom", "xmlrpc.client", "zipfile"),
)
HELD_OUT_MODULES: Final = (
    *("codeop", "filecmp", "fractions", "heapq", "ipaddress", "mimetypes", "profile", "queue"),
    *("shlex", "statistics", "textwrap", "trace", "unittest.mock"),
)
_EVERY: Final = 10


def source(module: str) -> bytes:
    """The source file of a standard module, without importing it.

    Raises:
        LookupError: If this Python ships no source for it.
    """
    spec = importlib.util.find_spec(module)
    loader = spec.loader if spec else None
    text = loader.get_source(module) if isinstance(loader, InspectLoader) else None
    if text is None:
        message = f"no source of {module}: a full installation of CPython has it"
        raise LookupError(message)
    return text.encode()


def prose(*, held_out: bool) -> bytes:
    """The topics of the language reference of one kind, in sorted order, joined."""
    chosen = (
        text
        for place, (_, text) in enumerate(sorted(topics.topics.items()))
        if (place % _EVERY == 0) == held_out
    )
    return "\n".join(chosen).encode()


def training_text() -> bytes:
    """Everything that training draws its windows from."""
    return b"\n".join((prose(held_out=False), *map(source, TRAINING_MODULES)))


def held_out_texts() -> dict[str, bytes]:
    """Texts that training never saw: ``prose`` and one per held-out module."""
    return {"prose": prose(held_out=True)} | {name: source(name) for name in HELD_OUT_MODULES}
