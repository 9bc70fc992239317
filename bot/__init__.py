"""The running service: everything that touches the outside, and the one place that wires it."""
