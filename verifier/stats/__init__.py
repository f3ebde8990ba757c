"""One statistic per file: an array of units in, one number out; each exports STATISTIC."""
