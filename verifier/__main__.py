"""``python -m verifier`` is ``verifier``."""

from verifier.cli import main

main()
