"""After a mismatch: which usual other choice would have given the published digits.

An explanation never says that a choice was made, only that it gives the digits that are printed.
Single changes are tried before combined ones, and the likeliest first.
"""
