"""Writes down what it was started with and what it sees, then becomes the program behind `--`.

usage: telling.py RECORD [PATH...] -- PROGRAM WORD...
RECORD becomes a JSON object: "argv" (the words), "env", "cwd", "pid", "sees" (which of the paths exist).
"""

import json
import os
import sys
from pathlib import Path


def main(words: list[str]) -> None:
    middle = words.index("--")
    record, *paths = words[:middle]
    told = {
        "argv": words[middle + 1 :],
        "env": dict(os.environ),
        "cwd": os.getcwd(),
        "pid": os.getpid(),
        "sees": {path: os.path.exists(path) for path in paths},
    }
    new = Path(f"{record}.new")
    new.write_text(json.dumps(told))
    new.rename(record)
    os.execv(words[middle + 1], words[middle + 1 :])


if __name__ == "__main__":
    main(sys.argv[1:])
