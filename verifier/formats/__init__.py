"""One reader per bundle format; each exports READER."""
