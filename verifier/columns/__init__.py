"""Columns of rows that measures speak of, one module per family."""
