"""The console script."""


def main() -> int:
    return 0
