"""A pull request that is signed and in order, to spoil one thing at a time."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache

from gatekit.bench.repo.settings_file import parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.commands import Use
from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login, PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from gatekit.plan.plan import PlanSources
from gatekit.signoff.change.change import Affected, Change, Touched, read_change
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.template import Current, Revision, template_form
from gatekit.signoff.checks.facts import Facts, SignOff
from gatekit.signoff.codeowners import parse_codeowners
from gatekit.signoff.evidence.description import Description
from gatekit.signoff.evidence.models_page import read_models
from gatekit.signoff.evidence.results import MeasuredPoint, read_thresholds
from gatekit.signoff.evidence.stored_draft import StoredDraft
from gatekit.signoff.evidence.upstream import UpstreamPage
from gatekit.signoff.evidence.workflow_jobs import Lane, SweepRun
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.scope import ChangedFile
from gatekit.use.decision import Chosen, Decision, RunAnswer, RunSource, Spoken, Trust
from gatekit.use.workflow_runs import WorkflowRun
from tests.worlds.bench import august
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, RECIPES, config, curves, entry, row, text, tree
from tests.worlds.signoff.checklist import form, page

PR = PrRef(Repo("acme", "bench"), 7)
HEAD = Sha("1" * 40)
EDITED = datetime(2026, 10, 5, 12, tzinfo=UTC)
RECIPE = f"{RECIPES}/glow.yaml"

GLOW = """
    schema: 2
    name: glow
    engine: vllm
    benchmark: {endpoint-type: chat}
    roles:
      agg:
        nodes: 1
        workers: 1
        gpus: 8
        args:
          served-model-name: example/glow
          tensor-parallel-size: 8
          speculative-config: '{"method":"mtp","num_speculative_tokens":3,"rejection_sample_method":"synthetic",\
"synthetic_acceptance_length":2.60}'
    """

MODELS = """
    # Models

    ## Scenarios

    | Scenario | Status |
    |---|---|
    | Single-turn 8k1k | Active. |
    | Single-turn 1k1k | **Deprecated for all models** since 2026-07-17. |

    ## Models

    | Name | Prefix | Active scenarios | Deprecated scenarios |
    |---|---|---|---|
    | Glow | `glow` | Agentic coding, Single-turn 8k1k | |
    | Dusk | `dusk`, `dusk2` | None (retired 2026-01-01) | Agentic coding |
    """

OWNERS = """
    * @acme/core
    /configs/ @ann @bob @acme/gpu
    /docs/ @zoe
    """


def trees(head: Mapping[str, str | None] | None = None, base: Mapping[str, str | None] | None = None) -> PlanSources:
    """The head adds a concurrency to what stands in the base; None in place of a text: the file is not there."""
    before: dict[str, str | None] = {
        CONFIG: config(row("[4]")),
        RECIPE: text(GLOW),
        CHANGELOG: entry("old").replace("old", KEY),
        "docs/MODELS.md": text(MODELS),
        **(base or {}),
    }
    now = {**before, CONFIG: config(row("[4, 8]")), CHANGELOG: f"{before[CHANGELOG]}{entry()}", **(head or {})}
    return PlanSources(_tree(now), _tree(before), None, parse_settings(None), curves())


def _tree(files: Mapping[str, str | None]) -> Snapshot:
    return tree({path: content for path, content in files.items() if content is not None})


def change(head: Mapping[str, str | None] | None = None, base: Mapping[str, str | None] | None = None) -> Change:
    return read_change(trees(head, base))


def sign_off(body: str | None = None) -> SignOff:
    signed = form(details=f"- recipe: {URL}\n{SAID}", signed="ann") if body is None else body
    return SignOff(Resource(Surface.CONVERSATION, 12), Login("ann"), CommentText(signed), EDITED)


def revision(day: int = 1, text: str = "") -> Revision:
    return Revision(Sha(f"{day:040}"), datetime(2026, 10, day, tzinfo=UTC), template_form(text or page(), "list.md"))


def files(*paths: str) -> tuple[ChangedFile, ...]:
    return tuple(ChangedFile(path) for path in paths)


RUN = 70
URL = "https://recipes.vllm.ai/example/glow"
PAGE = """vllm serve example/glow --tensor-parallel-size 8 \\
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
"""
SAID = "- draft: the embedded head; stored in bf16; the image loads it so by default; served in bf16"
LANES = (Lane("agentic / p1 | glow", "success"), Lane("canary / p1 | glow", "success"))


def run(number: int = RUN, lanes: tuple[Lane, ...] | Unknown = LANES, head: str = HEAD) -> SweepRun:
    where = f"https://github.com/acme/bench/actions/runs/{number}"
    path = ".github/workflows/run-sweep.yml"
    return SweepRun(
        WorkflowRun(number, 1, PR.repo, "pull_request", "completed", "success", path, Sha(head), where), lanes
    )


def used(answer: RunAnswer | None = None) -> Decision:
    """What a `/use 70` came to."""
    command = Spoken(5, Login("max"), EDITED, Use(RUN), Trust.AUTHORIZED)
    return Decision(command, answer or Chosen(RunSource.WORKFLOW, RUN, 1, HEAD), HEAD)


def curve(count: int, series: str = "glow agentic h100 vllm fp8") -> tuple[MeasuredPoint, ...]:
    """Points that all lie on their front."""
    return tuple(MeasuredPoint(series, float(at), 10.0 * at) for at in range(1, count + 1))


def described(text: str) -> Description:
    return Description(text, EDITED, EDITED)


def clean() -> Facts:
    """Every fact is known, and nothing is wrong."""
    sources = trees()
    return Facts(
        pr=PR,
        sign_off=sign_off(),
        today=date(2026, 10, 6),
        settings=sources.settings,
        files=files(CONFIG, CHANGELOG),
        rules=parse_codeowners(text(OWNERS).encode()),
        template=Current(revision(), (), ()),
        change=read_change(sources),
        models=read_models(text(MODELS), "docs/MODELS.md"),
        curves=sources.curves,
        drafts={"example/glow": StoredDraft("bf16", ("mtp.0",))},
        commits=Commits(frozenset({HEAD}), complete=True),
        runs=(run(),),
        evals={RUN: ()},
        points={RUN: curve(5)},
        thresholds=read_thresholds("thresholds.yaml", b"default: {gsm8k: 0.9}\nmodels: {glow: {gsm8k: 0.91}}\n"),
        reuse=used(),
        description=described(f"Adds a point to `{KEY}`.\n\n## AI model disclosure\n\nNo AI used\n"),
        linked={URL: UpstreamPage(200, PAGE)},
    )


def signed(body: str) -> Facts:
    return replace(clean(), sign_off=sign_off(body))


@cache
def whole_august() -> Change:
    """The real tree of August, every config of it affected."""
    found = read_change(august.sources())
    return replace(found, affected=tuple(Affected(each, Touched.CHANGED, each) for each in found.configs.values()))
