"""Evaluate measures: select, within, pair, across, over, scale, interval (docs/format.md)."""
