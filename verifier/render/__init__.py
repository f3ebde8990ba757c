"""One output format per file; each exports RENDERER."""
