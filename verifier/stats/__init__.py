"""One statistic per file: vectors of units in, one number out; each exports STATISTIC."""
