"""The repository settings: what a file may say, what is there without one, and how a mistake is told."""

import pytest

from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.settings import (
    DraftPulls,
    Forks,
    LabelSettings,
    Language,
    MergeWithoutUse,
    Mode,
    PrimaryLabel,
    RepoSettings,
    ReuseSettings,
    SignoffSettings,
)
from gatekit.bench.repo.settings_file import parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Tolerance

EVERYTHING = b"""
mode: enforce
layout:
  root: bench
  changelog: CHANGES.yaml
  configs: [one.yaml]
  runners: runners.yaml
  recipes: recipes
  scripts: {"demo-*": recipes/demo.yaml}
  goldens: goldens
  checklist: CHECKLIST.md
  models: M.md
  waivers: waivers
  thresholds: t.yaml
labels:
  primary: {sweep: {canary: true}, quick: {}, bare: }
  block-reuse: [hold]
  nothing-to-gate: []
tolerance: {below: 0.1}
prompts: {sha256: ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff}
thinking: null
drafts: run
forks: never
reuse: {workflow: sweep.yaml, merge-without-use: report}
signoff: {enabled: false, core-team: acme/bench-core}
languages: [en]
"""


def test_everything_that_a_file_can_say() -> None:
    assert parse_settings(EVERYTHING) == RepoSettings(
        mode=Mode.ENFORCE,
        layout=Layout(
            root="bench",
            changelog="CHANGES.yaml",
            configs=("one.yaml",),
            runners="runners.yaml",
            recipes="recipes",
            scripts=(("demo-*", "recipes/demo.yaml"),),
            goldens="goldens",
            checklist="CHECKLIST.md",
            models=("M.md",),
            waivers="waivers",
            thresholds=("t.yaml",),
        ),
        labels=LabelSettings(
            primary=(PrimaryLabel("sweep", canary=True), PrimaryLabel("quick"), PrimaryLabel("bare")),
            block_reuse=frozenset({"hold"}),
            nothing_to_gate=frozenset(),
        ),
        tolerance=Tolerance(below=0.1, above=0.05),
        prompts_sha256="f" * 64,
        thinking=None,
        drafts=DraftPulls.RUN,
        forks=Forks.NEVER,
        reuse=ReuseSettings("sweep.yaml", MergeWithoutUse.REPORT),
        signoff=SignoffSettings(enabled=False, core_team="acme/bench-core"),
        languages=(Language.EN,),
    )


@pytest.mark.parametrize("text", [None, b"", b"# nothing\n", b"mode: report-only\nlayout: {}\nlabels: {}\n"])
def test_what_is_not_said_has_its_default(text: bytes | None) -> None:
    settings = parse_settings(text)
    assert settings == RepoSettings()
    assert settings.mode is Mode.REPORT_ONLY
    assert settings.tolerance == Tolerance(below=0.05, above=0.05)
    assert settings.thinking is Thinking.ON
    assert settings.forks is Forks.NEVER
    assert [label.name for label in settings.labels.primary] == [
        "full-sweep-fail-fast",
        "full-sweep-enabled",
        "non-canary-full-sweep-enabled",
    ]


@pytest.mark.parametrize(
    ("written", "thinking"),
    [("on", Thinking.ON), ('"on"', Thinking.ON), ("off", Thinking.OFF), ('"off"', Thinking.OFF), ("null", None)],
)
def test_thinking_may_stand_with_or_without_quotes(written: str, thinking: Thinking | None) -> None:
    assert parse_settings(f"thinking: {written}\n".encode()).thinking is thinking


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("mode: enforce\nmood: good\n", "2: does not know the key `mood`; did you mean `mode`?"),
        (
            "xyz: 1\n",
            "1: does not know the key `xyz`; take it out (known: mode, layout, labels, tolerance, prompts, "
            "thinking, drafts, forks, reuse, signoff, languages)",
        ),
        ("layout:\n  changlog: x\n", "2: does not know the key `changlog`; did you mean `changelog`?"),
        (
            "labels:\n  primary:\n    x:\n      canery: true\n",
            "4: does not know the key `canery`; did you mean `canary`?",
        ),
        ("mode: strict\n", "1: needs one of report-only, enforce for `mode`"),
        ("mode: [enforce]\n", "1: needs one of report-only, enforce for `mode`"),
        ("layout: here\n", "1: needs a mapping for `layout`"),
        ("layout: {root: ../x}\n", "1: needs a path inside the repository for `root`, without `..` or a leading `/`"),
        ("layout: {goldens: /g}\n", "1: needs a path inside the repository for `goldens`, without `..` or"),
        ("layout: {configs: a.yaml}\n", "1: needs a list for `configs`"),
        ("layout: {configs: []}\n", "1: needs paths inside the repository for `configs`, at least one"),
        ("layout:\n  configs: [a, ../b]\n", "2: needs paths inside the repository for `configs`, at least one"),
        ("layout: {scripts: {x: }}\n", "1: lacks `x`; add it"),
        ("labels: {primary: {}}\n", "1: needs at least one label for `primary`"),
        ("labels: {primary: {a: {canary: 1}}}\n", "1: needs true or false for `canary`"),
        ("labels: {block-reuse: [1]}\n", "1: needs text for `block-reuse[0]`; put 1 in quotes"),
        ("tolerance: {below: 0}\n", "1: needs a number above 0 and at most 1 for `below`"),
        ("tolerance: {above: 5}\n", "1: needs a number above 0 and at most 1 for `above`"),
        ("tolerance: {above: yes}\n", "1: needs a number above 0 and at most 1 for `above`"),
        ("prompts: {sha256: FF}\n", "1: needs 64 lower-case hex digits for `sha256`"),
        ("thinking: maybe\n", "1: needs on, off or null for `thinking`"),
        ("reuse: {workflow: ../x.yml}\n", "1: needs the file name of a workflow for `workflow`, such as run-sweep.yml"),
        ("reuse: {merge-without-use: fail}\n", "1: needs one of rerun, report for `merge-without-use`"),
        ("signoff: {core-team: core}\n", "1: needs organisation/team for `core-team`"),
        ('signoff:\n  core-team: "a\\nb"\n', "2: needs one line of text for `core-team`"),
        ("mode: enforce\ndrafts: skip\n", "2: asks for `skip` in `drafts`, which is not there yet; take it out"),
        (
            "forks: approve-each-push\n",
            "1: asks for `approve-each-push` in `forks`, which is not there yet; take it out",
        ),
        ("languages: [en, zh]\n", "1: asks for `zh` in `languages`, which is not there yet; take it out"),
        ("drafts: walk\n", "1: needs one of run, skip for `drafts`"),
        ("languages: [zh]\n", "1: needs en, and may add zh, in `languages`"),
        ("languages: [en, en]\n", "1: needs en, and may add zh, in `languages`"),
        ("languages: [en, de]\n", "1: needs en, and may add zh, in `languages`"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(text: str, refusal: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_settings(text.encode())
    assert str(refused.value).startswith(f".github/gatekit.yml:{refusal}")


def test_a_file_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^\.github/gatekit\.yml: needs a mapping at the top level$"):
        parse_settings(b"- mode: enforce\n")


def test_paths_are_under_the_root_where_the_snapshot_has_it() -> None:
    snapshot = Snapshot(None, {"inferencex-e2e/perf-changelog.yaml": b"", "inferencex-e2e/MODELS.md": b""})
    layout = Layout(goldens="curves").at(snapshot)
    assert layout.root == "inferencex-e2e"
    assert layout.changelog == "inferencex-e2e/perf-changelog.yaml"
    assert layout.configs == ("inferencex-e2e/configs/nvidia-master.yaml", "inferencex-e2e/configs/amd-master.yaml")
    assert layout.recipes == "inferencex-e2e/benchmarks/multi_node/srt-slurm-recipes"
    assert layout.goldens == "inferencex-e2e/curves"
    assert layout.models == ("inferencex-e2e/MODELS.md",)
    assert layout.thresholds == ("inferencex-e2e/infx/evals/thresholds.yaml",)


def test_paths_are_under_the_repository_where_it_has_not() -> None:
    names = ("inferencex-e2e.md", "docs/MODELS.md", "MODELS.md", "utils/evals/thresholds.yaml")
    snapshot = Snapshot(None, dict.fromkeys(names, b""))
    layout = Layout().at(snapshot)
    assert layout.root == ""
    assert layout.changelog == "perf-changelog.yaml"
    assert layout.models == ("docs/MODELS.md",)
    assert layout.thresholds == ("utils/evals/thresholds.yaml",)


def test_a_layout_that_is_resolved_stays_as_it_is() -> None:
    snapshot = Snapshot(None, {"inferencex-e2e/x": b""})
    layout = Layout().at(snapshot)
    assert layout.at(snapshot) == layout
    assert layout.at(Snapshot(None, {})) == layout
