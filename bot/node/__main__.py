"""Where the zipapp and `python -m bot.node` begin."""

import sys

if sys.version_info < (3, 9):
    sys.exit("this program needs Python 3.9 or later")
else:
    from bot.node.main import main

    sys.exit(main(sys.argv[1:]))
