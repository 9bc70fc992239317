"""llama.cpp's server with llama-server's own flags, as far as the demo and the tests use them.

usage: python llama_server.py --models-dir DIR --model gatekit-demo/target.gguf --port 8080 --metrics …

Runs in the engine's environment (xllamacpp). `--models-dir` is the operator's: model names are looked up under it and
cannot leave it. Without it a model is a path, as llama-server has it. SIGTERM and SIGINT end it with exit status 0.
"""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import xllamacpp


class UnservableCommand(Exception):
    """A command line that cannot be served; the text is one sentence."""


class Flags(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the wall of usage text."""

    def error(self, message: str) -> NoReturn:
        raise UnservableCommand(f"{message}; llama_server.py --help lists the flags that it takes")


class Once(argparse.Action):
    """An option of the operator: whoever comes later on the command line cannot replace it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} is given twice")
        setattr(namespace, self.dest, values)


def flags() -> Flags:
    parser = Flags(prog="llama_server.py", allow_abbrev=False, description="llama.cpp's server, started from Python")
    add = parser.add_argument
    add("--models-dir", action=Once, type=Path, metavar="DIR", help="the folder that model names are looked up in")
    add("-m", "--model", required=True, metavar="FILE", help="the target, a GGUF file")
    add("-a", "--alias", metavar="NAME", help="the name of the model in requests; default: as --model has it")
    add("--host", default="127.0.0.1")
    add("--port", type=int, default=8080)
    add("--metrics", action="store_true", help="serve Prometheus counters at /metrics")
    add("-c", "--ctx-size", type=int, default=8192, help="tokens of context, over all slots")
    add("-np", "--parallel", type=int, default=2, help="slots")
    add("-t", "--threads", type=int, default=1, help="more than one is slower for so small a model")
    add("-n", "--predict", "--n-predict", type=int, default=-1, help="tokens per answer where a request does not say")
    add("-s", "--seed", type=int, help="seed of the sampler where a request does not say")
    add("--jinja", action="store_true", help="accepted: the model's own chat template is always used")
    add("--no-cache-prompt", action="store_true", help="do not reuse what two prompts have in common")
    add_drafting(parser)
    return parser


def add_drafting(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-md", "--model-draft", "--spec-draft-model", metavar="FILE", help="the draft model, a GGUF file")
    add("--spec-type", choices=("draft-simple", "none"), help="default: draft-simple where there is a draft model")
    add("--draft-max", "--draft-n", "--draft", "--spec-draft-n-max", type=int, help="tokens per draft: K")
    add("--draft-min", "--draft-n-min", "--spec-draft-n-min", type=int, help="do not verify shorter drafts")
    add("--draft-p-min", "--spec-draft-p-min", type=float, help="stop drafting below this probability")
    add("--spec-draft-sampling", choices=("greedy", "probabilistic"), help="how the draft model picks its tokens")
    add("--spec-synth-len", type=float, metavar="AL", help="forced acceptance: pretend this acceptance length")
    add("--spec-synth-rates", metavar="P0,P1,…", help="forced acceptance: pretend these rates by position")


def model_path(models_dir: Path | None, name: str) -> Path:
    """The file that `name` means. No name may leave `models_dir`: by `..`, by a root of its own, or by a link."""
    path = Path(name)
    if models_dir is not None:
        folder = models_dir.resolve()
        path = folder / name
        if path.resolve() != path or not path.is_relative_to(folder):
            raise UnservableCommand(f"{name}: leaves the models' folder; name a file below it, without '..' and links")
    if not path.is_file():
        raise UnservableCommand(f"{name}: no such model file; make_models.py writes the demo's")
    return path


def server_parameters(given: argparse.Namespace) -> "xllamacpp.CommonParams":
    params = xllamacpp.CommonParams()
    params.model.path = str(model_path(given.models_dir, given.model))
    params.model_alias = {given.alias or given.model}
    params.hostnames = [given.host]
    params.port = given.port
    params.endpoint_metrics = given.metrics
    params.n_ctx = given.ctx_size
    params.n_parallel = given.parallel
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given.threads
    params.n_predict = given.predict
    params.cache_prompt = not given.no_cache_prompt
    params.use_jinja = True
    params.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    params.warmup = False
    params.ui = False
    if given.seed is not None:
        params.sampling.seed = given.seed
    set_drafting(params.speculative, given)
    return params


def set_drafting(speculative: "xllamacpp.CommonParamsSpeculative", given: argparse.Namespace) -> None:
    if given.model_draft is None and given.spec_type == "draft-simple":
        raise UnservableCommand("--spec-type draft-simple needs a draft model: give --model-draft too")
    if given.model_draft is None or given.spec_type == "none":
        if given.spec_synth_len is not None or given.spec_synth_rates is not None:
            raise UnservableCommand("forced acceptance needs drafts: give --model-draft too")
        return
    draft = speculative.draft
    speculative.types = [xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_DRAFT_SIMPLE]
    draft.mparams.path = str(model_path(given.models_dir, given.model_draft))
    draft.cpuparams.n_threads = draft.cpuparams_batch.n_threads = given.threads
    draft.probabilistic = given.spec_draft_sampling == "probabilistic"
    if given.draft_max is not None:
        draft.n_max = given.draft_max
    if given.draft_min is not None:
        draft.n_min = given.draft_min
    if given.draft_p_min is not None:
        draft.p_min = given.draft_p_min
    if given.spec_synth_len is not None:
        speculative.synth_len = given.spec_synth_len
    if given.spec_synth_rates is not None:
        speculative.synth_rates = rates(given.spec_synth_rates)


def rates(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise UnservableCommand(f"--spec-synth-rates {text}: write numbers between commas") from None


def serve(params: "xllamacpp.CommonParams") -> None:
    """Serves until SIGTERM or SIGINT. Raises RuntimeError where llama.cpp cannot load or listen."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    server = xllamacpp.Server(params)
    sys.stdout.write(f"serving on {server.listening_address}\n")
    sys.stdout.flush()
    stop.wait()


def main(argv: Sequence[str]) -> int:
    try:
        serve(server_parameters(flags().parse_args(argv)))
    except (UnservableCommand, RuntimeError) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1 if isinstance(problem, RuntimeError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
