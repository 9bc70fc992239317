"""What an attempt of a gate leaves behind, as the node writes it, to change one thing at a time."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from gatekit.domain.collection import Thinking
from gatekit.domain.gates import Gate
from gatekit.domain.ids import SweepId, job_name
from gatekit.domain.job import Material
from gatekit.engines.counters import SeriesNames
from tests.worlds.bench.plans import gate as some_gate

NAMES = SeriesNames(
    drafts="vllm:spec_decode_num_drafts",
    accepted="vllm:spec_decode_num_accepted_tokens",
    draft_tokens="vllm:spec_decode_num_draft_tokens",
    per_position="vllm:spec_decode_num_accepted_tokens_per_pos",
    generated="vllm:generation_tokens",
)
GATE = some_gate()  # K is 4, golden AL 2.50 ± 5 %
JOB = job_name(SweepId(12), GATE.key, 1)
WORKER = "agg-0"


@dataclass(frozen=True)
class Counted:
    """An engine's counters at one moment."""

    drafts: int = 0
    positions: tuple[int, ...] = (0, 0, 0, 0)
    draft_tokens: int | None = None  # None: four per draft
    generated: int | None = None  # None: what the drafts gave, and one token of each of 20 prompts
    accepted: int | None = None  # None: what the positions add up to

    def values(self) -> dict[str, int]:
        accepted = sum(self.positions) if self.accepted is None else self.accepted
        first = 20 if self.drafts else 0
        return {
            NAMES.drafts: self.drafts,
            NAMES.accepted: accepted,
            "vllm:spec_decode_num_draft_tokens": 4 * self.drafts if self.draft_tokens is None else self.draft_tokens,
            "vllm:generation_tokens": self.drafts + accepted + first if self.generated is None else self.generated,
        }


BEFORE = Counted()
AFTER = Counted(2000, (1400, 900, 500, 200))  # AL 2.5


def scrape(counted: Counted, rank: int = 0, started: float = 1000.0, without: str = "\n") -> str:
    """Prometheus text of one engine. `without`: lines that hold this text are left out."""
    lines = [f"process_start_time_seconds {started}", "# TYPE vllm:gpu_cache_usage gauge", "vllm:gpu_cache_usage 0.5"]
    for name, value in counted.values().items():
        lines.append(f"# TYPE {name}_total counter")
        lines.append(f'{name}_total{{engine="{rank}",model_name="tiny"}} {float(value)}')
        lines.append(f"# TYPE {name}_created gauge")
        lines.append(f'{name}_created{{engine="{rank}",model_name="tiny"}} {started + 5}')
    lines.append(f"# TYPE {NAMES.per_position}_total counter")
    for position, count in enumerate(counted.positions):
        lines.append(f'{NAMES.per_position}_total{{engine="{rank}",position="{position}"}} {count}')
    return "\n".join(line for line in lines if without not in line) + "\n"


def steady(count: int = 20) -> tuple[Counted, ...]:
    """Samples on the way from BEFORE to AFTER; every second one is a little ahead."""
    return tuple(
        Counted(2000 * n // count, (1400 * n // count + 3 * (n % 2), *(p * n // count for p in (900, 500, 200))))
        for n in range(1, count)
    )


def slices(samples: tuple[Counted, ...], worker: str = WORKER) -> str:
    return "\n".join(
        json.dumps({"t": n * 1.0, "worker": worker, "text": scrape(sample)}) for n, sample in enumerate(samples, 1)
    )


def replay_of(gate: Gate) -> dict[str, object]:
    """What the node sends for a gate's collection."""
    kept, sampling = gate.collection, gate.collection.sampling[gate.drafting.thinking]
    kept_apart = ("template_kwargs", "rendered_sha256")
    passed = {key: value for key, value in asdict(sampling).items() if key not in kept_apart and value is not None}
    return {
        "prompts": "prompts.jsonl",
        "prompts_sha256": kept.prompts_sha256,
        "category": kept.category,
        "count": kept.prompts,
        "turns": kept.turns,
        "endpoint": kept.endpoint,
        "rendering": kept.rendering,
        "output_len": kept.output_len,
        "ignore_eos": kept.ignore_eos,
        "concurrency": kept.concurrency,
        "sampling": passed,
        "template_kwargs": sampling.template_kwargs,
        "thinking_marker": kept.thinking_marker,
        "seconds": 600.0,
    }


def result_of(gate: Gate) -> dict[str, object]:
    """result.json of a replay in which all went well."""
    prompts, on = gate.collection.prompts, gate.drafting.thinking is Thinking.ON
    marked = None if gate.collection.thinking_marker is None else prompts if on else 0
    return {
        "schema": 1,
        "job": JOB,
        "gate": gate.key,
        "attempt": 1,
        "outcome": "replayed",
        "reason": None,
        "requests": {
            "expected": prompts,
            "ok": prompts,
            "failed": 0,
            "output_tokens": AFTER.values()["vllm:generation_tokens"],
            "thinking_marked": marked,
        },
        "prompts_sha256": gate.collection.prompts_sha256,
        "rendered_sha256": gate.collection.sampling[gate.drafting.thinking].rendered_sha256,
        "replay": replay_of(gate),
        "workers": [{"role": "agg", "metrics": "http://127.0.0.1:8000/metrics"}],
        "engine": {"name": "vllm", "version": "0.32.0", "command": ["vllm", "serve", "tiny"]},
        "aiperf": "0.13.0",
        "seconds": {"start": 31.5, "replay": 62.0},
        "answers": answers(prompts),
    }


def answers(prompts: int) -> list[tuple[int, float, float, int]]:
    """One after another, of the tokens that were generated; every second one took a little longer."""
    tokens = AFTER.values()["vllm:generation_tokens"] // prompts
    return [(n, 1.0 * n + 0.04 * (n % 2), 1.0 * n + 1.0 + 0.04 * (1 - n % 2), tokens) for n in range(prompts)]


def changed(result: Mapping[str, object], path: str, value: object) -> dict[str, object]:
    """The result with one field (dotted path) changed."""
    head, _, rest = path.partition(".")
    inner = result[head]
    if rest and isinstance(inner, Mapping):
        return {**result, head: changed(inner, rest, value)}
    return {**result, head: value}


@dataclass(frozen=True)
class Attempt:
    """By default one that is on the curve, without a warning but for the unknown thinking marker."""

    gate: Gate = GATE
    before: Mapping[str, str] = field(default_factory=lambda: {WORKER: scrape(BEFORE)})
    after: Mapping[str, str] = field(default_factory=lambda: {WORKER: scrape(AFTER)})
    samples: str | None = field(default_factory=lambda: slices(steady()))
    result: Mapping[str, object] | None = None  # None: that of a good replay

    def having(self, path: str, value: object) -> "Attempt":
        return replace(self, result=changed(self.result or result_of(self.gate), path, value))

    def material(self) -> Material:
        text = json.dumps(self.result or result_of(self.gate))
        return Material(text, self.before, self.after, self.samples, "engine says hello\n", "job says hello\n")
