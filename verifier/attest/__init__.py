"""in-toto statements, DSSE envelopes and keys."""
