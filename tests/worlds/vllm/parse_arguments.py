"""What vLLM's own command line says to arguments. usage: python parse_arguments.py < command lines

Runs in .venvs/vllm; starts no engine. Reads a JSON list of command lines, each a list of what follows `vllm serve`.
Writes a JSON object: `refused`, the reason of each, null where it is taken; `options`, every option that there is.
"""

import contextlib
import io
import json
import sys

from vllm.entrypoints.cli.serve import ServeSubcommand
from vllm.utils.argparse_utils import FlexibleArgumentParser


def main() -> None:
    top, command = FlexibleArgumentParser(), ServeSubcommand()
    serve = command.subparser_init(top.add_subparsers(dest="subparser"))

    def refused(argv: list[str]) -> str | None:
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said):
                command.validate(top.parse_args(["serve", *argv]))
        except SystemExit:
            return said.getvalue()
        except (TypeError, ValueError) as error:
            return str(error)
        return None

    options = sorted({option for action in serve._actions for option in action.option_strings})
    json.dump({"refused": [refused(argv) for argv in json.load(sys.stdin)], "options": options}, sys.stdout)


if __name__ == "__main__":
    main()
