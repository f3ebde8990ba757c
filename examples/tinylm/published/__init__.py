"""The published figures: one module per kind, each with values of its own and the measures."""
