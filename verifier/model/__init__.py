"""Frozen values that the rest of the program passes around; no input or output here."""
