"""Measurements as ratios: contestants interleaved in one run, on this machine, each answer checked before it is timed."""
