"""Audit sealed measurement bundles: recompute what was published, sign the verdict."""

__version__ = "0.1.0"
