"""`python -m bot` is `gatekit serve`."""

import sys

from bot.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["serve", *sys.argv[1:]]))
