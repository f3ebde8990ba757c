"""The output formats of a claims check."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from verifier.claims.summary import Summary
from verifier.model.claim import DocumentResult
from verifier.render import _claims_json, _claims_markdown, _claims_text

RENDERERS: Mapping[str, Callable[[Sequence[DocumentResult], Summary], str]] = MappingProxyType(
    {
        "json": _claims_json.render,
        "markdown": _claims_markdown.render,
        "text": _claims_text.render,
    }
)
