"""A pull request with hundreds of gates: one master config whose rows all draft differently."""

from collections.abc import Mapping

from bot.demo import sample_pr
from tests.worlds.bench import bench_pr

GATES = 480
_KEYS = 20

_CONFIG = """\
tinywide{n:02}-fp32-demo-llamacpp-agentic:
  image: gatekit-demo/llamacpp:1
  model: gatekit-demo/target.gguf
  model-prefix: tiny
  precision: fp32
  framework: llamacpp
  runner: cluster:demo
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
"""
_ROW = (
    "      - {{ tp: 1, spec-decoding: draft_model, kv-offloading: none, conc-list: [{conc}], "
    "srt-recipe: recipes/llamacpp/tiny/wide-{recipe:03}.yaml }}\n"
)


def wide(gates: int = GATES) -> Mapping[str, bytes]:
    """The edits: so many recipes that place their caches differently, each of them one deployment."""
    plain = bench_pr.BASE[f"{bench_pr.RECIPES}/lean.yaml"]
    rows, keys = range(gates), min(_KEYS, gates)
    recipes = {
        f"{bench_pr.RECIPES}/wide-{row:03}.yaml": plain.replace(
            b"draft-max: 4", f"draft-max: 4\n      tensor-split: '{row + 1},1'".encode()
        )
        for row in rows
    }
    config = bench_pr.EDITS[bench_pr.CONFIGS].decode()
    for n in range(keys):
        config += "\n" + _CONFIG.format(n=n)
        config += "".join(_ROW.format(conc=1, recipe=row) for row in rows if row % keys == n)
    entry = '\n- config-keys: ["tinywide*"]\n  description: [Many.]\n  pr-link: https://github.example\n'
    return {
        **recipes,
        bench_pr.CONFIGS: config.encode(),
        sample_pr.CHANGELOG: bench_pr.BASE[sample_pr.CHANGELOG] + entry.encode(),
    }
