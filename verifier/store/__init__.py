"""The edge: bytes of a bundle, hashed once, never followed out of the folder."""
