"""A pull request that is signed and in order, to spoil one thing at a time."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from gatekit.codeowners import parse_codeowners
from gatekit.ids import Login, PrRef, Repo, Sha
from gatekit.plan import Sources
from gatekit.settings import parse_settings
from gatekit.signoff.change import Affected, Change, Touched, read_change
from gatekit.signoff.changes import ChangedFile
from gatekit.signoff.models_page import read_models
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.template import Current, Revision, template_form
from gatekit.signoff_checks.facts import Facts, SignOff
from gatekit.snapshot import Snapshot
from tests.worlds import august
from tests.worlds.checklist import form, page
from tests.worlds.small_bench import CHANGELOG, CONFIG, KEY, RECIPES, config, curves, entry, row, text, tree

PR = PrRef(Repo("acme", "bench"), 7)
HEAD = Sha("1" * 40)
EDITED = datetime(2026, 10, 5, 12, tzinfo=UTC)
RECIPE = f"{RECIPES}/glow.yaml"

GLOW = """
    schema: 2
    name: glow
    engine: vllm
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


def trees(head: Mapping[str, str | None] | None = None, base: Mapping[str, str | None] | None = None) -> Sources:
    """The head adds a concurrency to what stands in the base; None in place of a text: the file is not there."""
    before: dict[str, str | None] = {
        CONFIG: config(row("[4]")),
        RECIPE: text(GLOW),
        CHANGELOG: entry("old").replace("old", KEY),
        "docs/MODELS.md": text(MODELS),
        **(base or {}),
    }
    now = {**before, CONFIG: config(row("[4, 8]")), CHANGELOG: f"{before[CHANGELOG]}{entry()}", **(head or {})}
    return Sources(_tree(now), _tree(before), None, parse_settings(None), curves())


def _tree(files: Mapping[str, str | None]) -> Snapshot:
    return tree({path: content for path, content in files.items() if content is not None})


def change(head: Mapping[str, str | None] | None = None, base: Mapping[str, str | None] | None = None) -> Change:
    return read_change(trees(head, base))


def sign_off(body: str | None = None) -> SignOff:
    signed = form(details="- recipe: https://recipes.vllm.ai/example/glow", signed="ann") if body is None else body
    return SignOff(Resource(Surface.CONVERSATION, 12), Login("ann"), signed, EDITED)


def revision(day: int = 1, text: str = "") -> Revision:
    return Revision(Sha(f"{day:040}"), datetime(2026, 10, day, tzinfo=UTC), template_form(text or page(), "list.md"))


def files(*paths: str) -> tuple[ChangedFile, ...]:
    return tuple(ChangedFile(path) for path in paths)


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
    )


def signed(body: str) -> Facts:
    return replace(clean(), sign_off=sign_off(body))


def whole_august() -> Change:
    """The real tree of August, every config of it affected."""
    found = read_change(august.sources())
    return replace(found, affected=tuple(Affected(each, Touched.CHANGED, each) for each in found.configs.values()))
