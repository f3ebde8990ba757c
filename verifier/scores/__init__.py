"""Row arrays, token streams and raw logits that somebody hostile may have written."""

from verifier.scores.npz import load_arrays, parse_columns
from verifier.scores.rows import StoreRows

__all__ = ["StoreRows", "load_arrays", "parse_columns"]
