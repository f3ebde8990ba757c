"""One check per file; the module docstring is its published page; each exports CHECK."""
