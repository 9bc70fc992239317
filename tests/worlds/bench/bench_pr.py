"""The repository and the pull request of the bot's world: the demo's, with curves of the tests, to change in places."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.demo import sample_pr
from bot.demo.github.objects import Entry
from bot.demo.github.people import Opening
from bot.demo.github.world import Pull, Repo, Role
from tests.worlds.github.standin import WatchedGitHub, forked

LABEL = "non-canary-full-sweep-enabled"
DRAFT, LEAN, SELF, THIRD = (
    "tiny-fp32-demo-llamacpp-agentic-draft",
    "tiny-fp32-demo-llamacpp-agentic-lean",
    "tinyself-fp32-demo-llamacpp-agentic",
    "tinythird-fp32-demo-llamacpp-agentic",
)
RECIPES = "benchmarks/single_node/srt-slurm-recipes/llamacpp/tiny"
SETTINGS = ".github/gatekit.yml"
CONFIGS = "configs/demo-master.yaml"
LAWS = {"draft-near.gguf": 3.7, "draft-far.gguf": 2.1, "draft-third.gguf": 2.1, "target.gguf": 4.9}

_CURVE = """\
model: gatekit-demo/target.gguf
method: draft
draft: {{model: gatekit-demo/{draft}}}
collection:
  dataset: gatekit/demo-prompts
  split: demo
  category: coding
  prompts: 24
  prompts_sha256: {digest}
  turns: first
  endpoint: /v1/chat/completions
  rendering: server
  output_len: 384
  ignore_eos: true
  concurrency: 1
  sampling: {{"on": {{temperature: 0.0, seed: 1}}}}
  thinking_marker: null
  adaptive_verification: false
  engine: llamacpp b1
  hardware: cpu
curves:
  "on": {{{values}}}
"""


def curve(draft: str, values: Mapping[int, float]) -> bytes:
    shown = ", ".join(f"{k}: {al:.2f}" for k, al in values.items())
    return _CURVE.format(draft=draft, digest="ab" * 32, values=shown).encode()


CURVES = {
    "goldens/tiny_draft.yaml": curve("draft-near.gguf", {1: 1.85, 4: 3.7}),
    "goldens/tinyself_draft.yaml": curve("target.gguf", {4: 4.9}),
    "goldens/tinythird_draft.yaml": curve("draft-third.gguf", {4: 2.1}),
}
BASE = {**sample_pr.base(), **CURVES}
EDITS = sample_pr.proposal().first.edits


@dataclass(frozen=True)
class Setting:
    """How the story begins, to change one thing at a time. `None` in `base` or `edits` takes a file out."""

    base: Mapping[str, bytes | Entry | None] = field(default_factory=dict)
    edits: Mapping[str, bytes | Entry | None] = field(default_factory=dict)
    title: str = "Draft leaner"
    forked_by: str | None = None
    draft: bool = False
    max_jobs: int = 8
    public_url: str | None = None
    poll_seconds: float = 30.0  # nothing of a story may depend on a poll
    laws: Mapping[str, float] | None = None
    retry_delays: tuple[float, ...] = (0.01, 0.02)
    show_seconds: float = 0.0  # what changed is shown at once


def pull_of(github: WatchedGitHub, setting: Setting) -> tuple[Repo, Pull]:
    """The repository with its people, and the pull request."""
    world, people = github.world, github.people
    base = {path: data for path, data in {**BASE, **setting.base}.items() if data is not None}
    repo = world.add_repo(sample_pr.REPOSITORY, base)
    people.invite(repo, "maria", Role.MAINTAIN)
    people.invite(repo, "pat", Role.WRITE)
    people.invite(repo, "tom", Role.TRIAGE)
    source, author = repo, "pat"
    if setting.forked_by is not None:
        source, author = forked(world, repo, setting.forked_by), setting.forked_by
    people.branch(source, "leaner")
    people.push(source, "leaner", {**EDITS, **setting.edits}, by=author)
    opening = Opening("leaner", author, setting.title, head_repo=source, draft=setting.draft)
    return repo, people.open_pull(repo, opening)
