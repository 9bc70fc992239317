"""The library: plans, curves, keys, verdicts, rules, words. No network, clock, disk or subprocess."""
