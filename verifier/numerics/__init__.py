"""Pure numpy: random streams, bootstrap intervals, quantiles and normal functions."""
