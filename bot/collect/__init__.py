"""Measuring a golden curve through a cluster's executor."""
