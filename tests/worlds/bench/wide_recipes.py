"""Recipes of every form for `wide_tree`: made up, as long and as deep as real ones, of which no text is taken."""

from collections.abc import Iterable
from textwrap import dedent, indent

LADDER = (1, 2, 4, 8, 16, 24, 32, 40)
TENS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
ENV = "".join(f"ENGINE_SETTING_{n}: '{n}'\n" for n in range(24)) + "UCX_NET_DEVICES: '@fabric.ucx-net-devices'\n"
GRAPHS = f'{{"cudagraph_capture_sizes":[{",".join(str(8 * n) for n in range(1, 40))}]}}'
FORCED = ',"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.49'


def text(block: str) -> str:
    return dedent(block).lstrip("\n")


def role(args: str, gpus: int = 8) -> str:
    return f"nodes: 1\nworkers: 1\ngpus: {gpus}\nargs:\n{indent(args, '  ')}env:\n{indent(ENV, '  ')}"


def aggregated(args: str) -> str:
    return f"roles:\n  agg:\n{indent(role(args), '    ')}"


def bundle(engine: str, args: str, variants: str) -> str:
    base = f"name: made-up\nengine: {{type: {engine}}}\n{aggregated(args)}"
    return f"schema: 2\nbase:\n{indent(base, '  ')}{variants}"


def overrides(each: Iterable[tuple[int, str]]) -> str:
    """`override_cN` for concurrency N, each with its arguments."""
    return "".join(
        f"override_c{at}:\n  benchmark: {{env: {{CONC: '{at}'}}}}\n  roles:\n    agg:\n      args:\n"
        + indent(args, " " * 8)
        for at, args in each
    )


def drafts_by_concurrency() -> str:
    """Seven tokens, then three, then none; JSON in strings."""
    spec = (
        '{"method":"dspark","model":"v/draft","num_speculative_tokens":%d,"draft_sample_method":"probabilistic",'
        '"rejection_sample_method":"block"}'
    )
    ladder = (
        (
            at,
            f"max-num-seqs: {2 * at}\ncompilation-config: '{GRAPHS}'\n"
            + (f"speculative-config: '{spec % (7 if at <= 8 else 3)}'\n" if at <= 16 else ""),
        )
        for at in LADDER
    )
    args = 'tensor-parallel-size: 8\nkv-cache-dtype: fp8\nkv-transfer-config: \'{"size":"@dram.total-bytes"}\'\n'
    return bundle("vllm", args, overrides(ladder))


def lists_of_a_zip(at: tuple[int, ...]) -> str:
    """Each concurrency with its limits, once for each place of the cache; forced acceptance among them."""
    blocks = "".join(
        text(f"""
            zip_override_tp{tp}:
              benchmark:
                env:
                  CONC: {[str(each) for each in at]}
                  KV_OFFLOADING: {kind}
              roles:
                agg:
                  gpus: {tp}
                  env: {{SGLANG_SIMULATE_ACC_LEN: '3.39'}}
                  args:
                    tensor-parallel-size: {tp}
                    max-running-requests: {[2 * each for each in at]}
            """)
        for tp, kind in ((4, "none"), (8, "dram"))
    )
    args = "speculative-algorithm: NEXTN\nspeculative-num-steps: 3\nspeculative-eagle-topk: 1\nquantization: fp8\n"
    return bundle("sglang", args, blocks)


def settings_of_a_file() -> str:
    """Nested mappings, long lists, and a size that the point fills in."""
    each = (
        (
            at,
            f"max_batch_size: {at}\nkv_cache_config: {{host_cache_size: '@dram.per-gpu-bytes'}}\n"
            "cuda_graph_config:\n  batch_sizes:\n" + "".join(f"  - {size}\n" for size in range(1, at)),
        )
        for at in TENS
    )
    drafts = "{decoding_type: Eagle3, max_draft_len: 3, speculative_model: v/gqa}"
    return bundle("trtllm", f"tensor_parallel_size: 8\nspeculative_config: {drafts}\n", overrides(each))


def plain(at: int) -> str:
    """One of a folder, told apart by its concurrency."""
    args = f"tensor-parallel-size: 8\nmethod: dspark\nnum-speculative-tokens: 6\nmax-num-seqs: {2 * at}\n"
    return f"schema: 2\nengine: atom\n{aggregated(args)}benchmark: {{env: {{CONC: {at}}}}}\n"


def two_roles(number: int) -> str:
    """They share their environment through an anchor; every fourth forces its acceptance."""
    k = 2 + number % 2
    spec = f'"method":"mtp","num_speculative_tokens":{k}'
    made = text(f"""
        schema: 2
        engine: vllm
        roles:
          prefill:
            nodes: 1
            workers: {1 + number % 3}
            gpus: 8
            env: *shared
            args: {{tensor-parallel-size: 8, speculative-config: '{{{spec}}}'}}
          decode:
            nodes: 2
            workers: 1
            gpus: 16
            env: {{<<: *shared, NCCL_IB_HCA: '@fabric.nccl-ib-hca'}}
            args:
              data-parallel-size: {8 + 4 * (number % 3)}
              enable-expert-parallel: true
              compilation-config: '{GRAPHS}'
              speculative-config: '{{{spec}{FORCED if number % 4 == 3 else ""}}}'
        """)
    return f"environment: &shared\n{indent(ENV, '  ')}{made}"


def selected() -> str:
    """Overrides that differ in their names only, and steps of a zip."""
    args = (
        "tensor-parallel-size: 8\nspeculative-algorithm: EAGLE\nspeculative-num-steps: 4\nspeculative-eagle-topk: 1\n"
    )
    variants = text("""
        override_c2: {name: c2}
        override_c4: {name: c4}
        override_c8: {name: c8}
        zip_override_wide:
          name: [a, b, c, d]
          roles:
            agg:
              workers: [1, 2, 3, 4]
              args: {speculative-num-steps: [2, 3, 2, 3], max-running-requests: 64}
        """)
    return bundle("sglang", args, variants)


def router(number: int) -> str:
    """llm-d's: flags in a text, the first of two roles or the only one."""
    plugins = "".join(f"- {{type: scorer-{n}, parameters: {{weight: {n}}}}}\n" for n in range(10))
    spec = (
        f'{{"method":"dspark","num_speculative_tokens":{3 + 2 * (number // 2)},"draft_sample_method":"probabilistic",'
        '"enable_adaptive_verification":true}'
    )
    flags = f"--kv-cache-dtype fp8 --block-size=256\n\n--speculative-config {spec}\n"
    body = f"tp: 8\nextra-args: >-\n{indent(flags, '  ')}env:\n{indent(ENV, '  ')}"
    name = "prefill" if number % 2 else "decode"
    head = f"apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n{plugins}"
    return f"{head}{name}:\n{indent(body, '  ')}"


def without_collection() -> str:
    spec = 'speculative-config: \'{"method":"dspark","num_speculative_tokens":5}\'\n'
    return f"schema: 2\nengine: vllm\n{aggregated(spec)}"
