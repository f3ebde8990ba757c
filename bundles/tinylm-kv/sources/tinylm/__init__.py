"""A byte-level transformer in plain numpy, small enough to be measured for real in a minute.

It has what makes measurements of serving stacks interesting: a KV cache with a storage precision,
decode one token at a time, a summation order, and a prefix cache with counters. README.md beside
this file describes the parts.
"""
