"""Scripts that regenerate committed files; run them as ``python -m scripts.NAME``."""
