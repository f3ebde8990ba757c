"""Worked examples: small systems that are measured for real, outside the installed package."""
