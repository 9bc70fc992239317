"""A pull request whose one recipe holds the oddest text that the policy lets through, for the toy engine."""

import json
import os
from dataclasses import dataclass

from bot.demo import prompts
from bot.demo.github.people import Opening
from bot.demo.github.world import Pull, Repo, Role
from tests.worlds.bench import small_bench
from tests.worlds.engine.toy_law import Laws, acceptance_length, with_alpha
from tests.worlds.github.standin import WatchedGitHub

K = 3
LAWS: Laws = with_alpha(0.7)
GOLDEN = round(acceptance_length(LAWS.alpha, K), 2)
IMAGE = "vllm/vllm-openai:v0.21.0"
EXECUTED = "/tmp/gatekit-a-recipe-was-executed"  # what a shell would make of it
# Blanks, quotes, shell, commas, equals signs, letters of other scripts.
ODD = f"a b, 'c' \"d\" $(touch {EXECUTED}) `id` ${{HOME}} x=y,z=1 \\ é日本 \N{ROCKET};|&*?~#%"
ENV = {"VLLM_ODD": ODD, "VLLM_EMPTY": "", "VLLM_IMAGE_HAS": "the recipe's"}

_CURVE = f"""
    model: example/glow
    method: mtp
    collection:
      dataset: gatekit/demo-prompts
      split: demo
      category: {prompts.CATEGORY}
      prompts: 8
      prompts_sha256: {prompts.SHA256}
      turns: first
      endpoint: /v1/chat/completions
      rendering: server
      output_len: 400
      ignore_eos: false
      concurrency: 4
      sampling:
        "on": {{temperature: 1.0, seed: 42}}
      thinking_marker: null
      adaptive_verification: false
      engine: toy
      hardware: cpu
    curves:
      "on": {{{K}: {GOLDEN}}}
    """
CURVES = small_bench.curves(_CURVE)


def _recipe(odd: str) -> str:
    args = {
        "served-model-name": "example/glow",
        "data-parallel-size": 2,
        "compilation-config": {"cudagraph_mode": odd},
        "speculative-config": {"method": "mtp", "num_speculative_tokens": K},
    }
    role = {"nodes": 1, "workers": 1, "gpus": 1, "args": args, "env": ENV}
    return json.dumps({"schema": 2, "name": "glow", "engine": "vllm", "roles": {"agg": role}}, ensure_ascii=False)


def _files(changelog: str, odd: str = ODD) -> dict[str, bytes]:
    texts = {
        small_bench.CONFIG: small_bench.config(),
        small_bench.CHANGELOG: changelog,
        f"{small_bench.RECIPES}/glow.yaml": _recipe(odd),
    }
    return {path: text.encode() for path, text in texts.items()}


def executed() -> bool:
    """Whether some shell read the odd text."""
    return os.path.lexists(EXECUTED)


@dataclass(frozen=True)
class OddPull:
    """The pull request, and the person who puts labels on it."""

    github: WatchedGitHub
    repo: Repo
    pull: Pull

    def label(self, name: str) -> None:
        self.github.people.add_label(self.repo, self.pull, name, by="maria")

    def push(self) -> None:
        """The recipe becomes another one, no less odd."""
        self.github.people.push(self.repo, "odd", _files(small_bench.entry() * 2, f"{ODD}!"), by="pat")

    def unlabel(self, name: str) -> None:
        self.github.people.remove_label(self.repo, self.pull, name, by="maria")

    @property
    def comment(self) -> str:
        """What the bot said last; empty: nothing yet."""
        return next((one.body for one in reversed(self.repo.comments.values()) if one.by_app), "")

    @property
    def conclusion(self) -> object:
        """Of the newest check run; None: it has not ended, or there is none."""
        return next((run.said.get("conclusion") for run in reversed(self.repo.checks.values())), None)


def odd_pull(github: WatchedGitHub) -> OddPull:
    people = github.people
    repo = github.world.add_repo("acme/bench", _files(small_bench.entry()))
    people.invite(repo, "maria", Role.MAINTAIN)
    people.invite(repo, "pat", Role.WRITE)
    people.branch(repo, "odd")
    people.push(repo, "odd", _files(small_bench.entry() * 2), by="pat")
    return OddPull(github, repo, people.open_pull(repo, Opening("odd", "pat", "An odd recipe")))
