"""Runs the gates of tests/vllm on a real vLLM, and writes what came of them into docs/vllm.md.

usage: scripts/vllm_page.py        exit status 1 where a test failed; then the page is left as it was
"""

import re
import sys

from pages import ROOT, Page, write

GATE = "test_the_scrapes_say_what_the_answers_say"
GATES = ("two ranks, n-gram", "two ranks, draft model, rendered by the client")
GATES += ("one rank, draft model, all turns", "one rank, n-gram, rendered by the client")
TITLES = {
    **{f"{GATE}[{name}]": name for name in GATES},
    "test_every_real_recipe_is_taken_or_made_for_another_version": "real recipes, put to vLLM's parser",
    "test_a_prompt_rendered_by_the_client_is_the_templates": "prompts rendered by the client",
    "test_the_completions_endpoint_adds_its_special_tokens": "what `/v1/completions` adds to them",
}
HEAD = """\
# A real vLLM

`make test-vllm` runs gates on vLLM's CPU build and writes this page: a recipe that forces acceptance is planned and
stripped, the node program starts vLLM, aiperf replays, and the verdict is made of the raw scrapes. Beside it stands
what the engine said in each answer (`--per-request-spec-decode-metrics`): drafts, drafted and accepted tokens,
acceptance by position and generated tokens must be the same integers, summed over data-parallel ranks, and so the AL.

The tiny models are trained on the spot, so the AL differs from machine to machine; what must be equal does not. It
takes 2 GB of disk, a processor with AVX2, and the CPU build of torch where pip finds it (`PIP_FIND_LINKS`); `make
test` does without all that.
"""
FOOT = """
What it showed of vLLM, beside the numbers:

- The model must stand right behind `serve` where a recipe names the served model. An operator's own options go into a
  script: `exec vllm serve "$@" --an-option`.
- Two ranks are two API servers, which share one `/metrics`: it tells the ranks apart by `engine`, and has no
  `process_start_time_seconds`.
- All gates are greedy. Without Triton, which has no CPU build, this vLLM verifies sampled drafts with a temperature,
  `top_p` and `top_k` that it never set: `top_k` ends the engine, and a temperature gives an AL that is not the model's
  (the counters and the answers agreed on it all the same).
- Where it has to be killed it leaves shared memory in `/dev/shm`, which the node program then takes away.
- Refused of real recipes are `use_fp4_indexer_cache` and one `moe-backend`: each was written for another version.

Not covered: GPUs, drafts by a head of the target (`mtp`, `eagle3`, `dspark`), several nodes.
"""


def versions() -> str:
    pinned = "".join((ROOT / "requirements" / name).read_text() for name in ("vllm.in", "torch-cpu.txt", "aiperf.in"))
    return ", ".join(re.findall(r"^\S+==\S+", pinned, re.MULTILINE))


if __name__ == "__main__":
    head = f"{HEAD}\nThe last run, of {versions()}:\n\n"
    sys.exit(write(Page(ROOT / "docs" / "vllm.md", "tests/vllm", "gate or check", TITLES, head, FOOT)))
