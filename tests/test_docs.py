"""What the documents say of names and files, held against the code."""

import re
import tomllib
from pathlib import Path

import pytest

from bot.cluster.config import parse_clusters
from bot.cluster.config_file import LocalEntry, PolicySection, SlurmEntry
from bot.doctor.slurm import files, limits, nodes, queue
from bot.doctor.slurm.door import DOOR, PROGRAMS, SSH
from bot.metrics import Metrics
from bot.settings import Settings
from bot.store.deliveries import DeliveryState
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.settings_file import parse_settings
from gatekit.domain.gates import Reason
from gatekit.domain.sweep import GateState, SweepState
from gatekit.domain.verdict import CurveOutcome, Unmeasured
from gatekit.engines.engine import Counted, Engine
from gatekit.engines.registry import ENGINES
from tests.bot.pages.test_answers import LINE, ROW, STATUS, SWEEP
from tests.bot.pages.test_signoffs import CHECK, EVIDENCE, SIGNOFF, VERDICT
from tests.worlds.slurm import allowed

DOCS = Path(__file__).parents[1] / "docs"
OPERATING, HOW, ENGINE, SLURM = (
    (DOCS / name).read_text(encoding="utf-8") for name in ("operating.md", "how-it-works.md", "engines.md", "slurm.md")
)
README = (DOCS.parent / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def metric_names() -> list[str]:
    names = [(family.name, family.type) for family in Metrics().registry.collect()]
    return [f"{name}_total" if kind == "counter" else name for name, kind in names if not name.startswith("process_")]


CLUSTER_KEYS = {*LocalEntry.model_fields, *SlurmEntry.model_fields} - {"policy", "engines"}
DOCTOR = ["policy", SSH, DOOR, PROGRAMS, *queue.JUDGES, *limits.JUDGES, *files.JUDGES, *nodes.JUDGES]
PROTOCOL = [
    name
    for name in (*Counted.__annotations__, *Engine.__annotations__, *vars(Engine))
    if not name.startswith("_") and name != "name"
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (OPERATING, [f"GATEKIT_{name.upper()}" for name in Settings.model_fields]),
        (OPERATING, sorted(CLUSTER_KEYS)),
        (OPERATING, [f"policy.{name}" for name in PolicySection.model_fields]),
        (OPERATING, metric_names()),
        (OPERATING, sorted(LINE | SWEEP | ROW)),
        (OPERATING, sorted(SIGNOFF | VERDICT | CHECK | EVIDENCE)),
        (OPERATING, [*DeliveryState, *GateState, *SweepState]),
        (OPERATING, [name for name in RepoSettings.__dataclass_fields__ if name != "prompts_sha256"]),
        (HOW, [*Unmeasured, *Reason, *GateState, *SweepState]),
        (ENGINE, [*ENGINES.counters, *ENGINES.by_framework]),
        (ENGINE, PROTOCOL),
    ],
)
def test_every_name_stands_in_its_document(text: str, names: list[str]) -> None:
    assert [name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is None] == []


def test_every_check_of_the_doctor_is_explained() -> None:
    assert [name for name in DOCTOR if f"`{name}`" not in SLURM] == []


def test_every_verdict_is_explained() -> None:
    assert [outcome for outcome in CurveOutcome if outcome.value not in HOW] == []


def test_the_status_that_is_shown_has_the_keys_of_today() -> None:
    (shown,) = (block for block in blocks(OPERATING, "json") if "free_disk_bytes" in block)
    assert set(re.findall(r'"(\w+)":', shown)) - {"here"} == STATUS


def test_the_clusters_that_are_shown_can_be_used() -> None:
    local, slurm = blocks(OPERATING, "toml")
    assert [one.cluster.name for one in parse_clusters(local.encode())] == ["here"]
    common = {key: value for key, value in tomllib.loads(local)["clusters"]["here"].items() if key != "executor"}
    (shown,) = tomllib.loads(slurm)["clusters"].values()
    SlurmEntry.model_validate({**common, **shown})


def test_the_repository_settings_that_are_shown_are_the_usual_ones() -> None:
    (shown,) = blocks(OPERATING, "yaml")
    assert parse_settings(shown.encode()) == RepoSettings()


def test_the_permissions_that_are_shown_are_those_of_the_manifest() -> None:
    manifest = (DOCS.parent / "app.yml").read_text(encoding="utf-8")
    asked = dict(re.findall(r"^  (\w+): (read|write)\b", manifest, re.MULTILINE))
    shown = {
        name.lower().replace(" ", "_"): level
        for name, level in re.findall(r"^\| ([A-Z][\w ]+) \| (read|write) \|", OPERATING, re.MULTILINE)
    }
    assert shown == asked


def test_every_engine_that_was_never_run_has_its_section_on_the_page_of_such_things() -> None:
    page = (DOCS / "not-run.md").read_text(encoding="utf-8")
    unseen = [engine for engine in ENGINES.engines if engine.unseen is not None]
    assert [engine.label for engine in unseen] == ["SGLang", "TensorRT-LLM", "ATOM"]
    for engine in unseen:
        section = page.partition(f"\n## {engine.label}\n")[2].partition("\n## ")[0]
        assert f"- Not known: {(engine.unseen or '').removesuffix(', is not known.')}." in section


def test_the_drills_that_are_shown_are_those_of_the_tests() -> None:
    assert allowed.table() in SLURM


def test_the_readme_leads_to_every_document() -> None:
    assert [path.name for path in DOCS.glob("*.md") if f"docs/{path.name}" not in README] == []
