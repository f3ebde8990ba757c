"""Readers of documents: source text in, blocks of visible text with their places out."""
