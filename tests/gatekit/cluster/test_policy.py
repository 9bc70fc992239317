"""What a pull request may name, and what is refused with the key to change."""

from dataclasses import replace

import pytest

from gatekit.bench.recipes.roles import Role
from gatekit.cluster.policy import Policy, breaches
from gatekit.domain.gates import ArgValue, EngineName, Launch
from tests.worlds.bench.plans import LAUNCH

POLICY = Policy(images=("vllm/vllm-openai:", "ghcr.io#acme/", "/images/"), models=("example/", "/models/"))
ROLE = Role("agg", {}, {}, 1, 1, 8, "roles.agg.args", "roles.agg.env")
ALLOWED = replace(
    LAUNCH, engine=EngineName("vllm"), image="vllm/vllm-openai:v0.21.0", model="example/glow", args=(), env=()
)
LLAMA = replace(LAUNCH, image="ghcr.io/acme/llama:1", model="/models/t.gguf")


REFUSED_BY_VLLM = """
middleware worker-cls worker-extension-cls chat-template config api-key host port model-loader-extra-config
root-path ssl-keyfile tokenizer download-dir hf-overrides logits-processors tool-parser-plugin lora-modules
allowed-local-media-path hf-config-path load tensor-parallel generation-config kv-events-config
speculative-config.model disable-nothing additional-config runner data-parallel-address
"""
REFUSED_BY_LLAMACPP = """
host port api-key hf-repo model-url path slot-save-path lora grammar-file rpc log-file tools mmproj
"""
REFUSED_VARIABLES = """
LD_PRELOAD LD_LIBRARY_PATH PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME HOME ENV BASH_ENV IFS GATEKIT_APP_ID
HF_TOKEN MY_TOKEN TOKEN GH_TOKENS AWS_SECRET_ACCESS_KEY OPENAI_API_KEY VLLM_API_KEY SSH_AUTH_SOCK HTTPS_PROXY
https_proxy NO_PROXY HF_ENDPOINT VLLM_PLUGINS NCCL_NET_PLUGIN UCX_MODULE_DIR VLLM_LOGGING_CONFIG_PATH
LLAMA_ARG_HOST SLURM_JOB_ID GIT_SSH_COMMAND CC VLLM_ALLOW_INSECURE_SERIALIZATION DB_PASSWORD
OMP_TOOL_LIBRARIES OPENSSL_CONF OPENSSL_MODULES REQUESTS_CA_BUNDLE SSLKEYLOGFILE NETRC LDFLAGS CXXFLAGS MAKEFLAGS
CMAKE_ARGS MPLBACKEND VLLM_USAGE_STATS_SERVER NATS_SERVER OTEL_EXPORTER_OTLP_HEADERS RAY_ADDRESS DOCKER_HOST KUBECONFIG
"""


def said(launch: Launch) -> str:
    return " | ".join(breaches(POLICY, launch, ROLE))


def test_an_ordinary_launch_is_allowed() -> None:
    args: tuple[tuple[str, ArgValue], ...] = (
        ("served-model-name", "example/glow"),
        ("trust-remote-code", True),
        ("no-enable-prefix-caching", True),
        ("gpu-memory-utilization", 0.92),
        ("max-model-len", -1),
        ("scheduler-cls", "vllm.v1.core.sched.async_scheduler.AsyncScheduler"),
        ("speculative-config", '{"method":"mtp","num_speculative_tokens":3,"model":"example/draft"}'),
        ("speculative-config", '{"method":"ngram","num_speculative_tokens":3,"prompt_lookup_max":4}'),
        ("compilation-config", '{"cudagraph_mode":"FULL","pass_config":{"fuse_allreduce_rms":false}}'),
        (
            "kv-transfer-config",
            '{"kv_connector":"M","kv_connector_extra_config":{"connectors":[{"kv_role":"kv_both"}]}}',
        ),
    )
    env = (("VLLM_USE_V2_MODEL_RUNNER", "1"), ("PYTHONHASHSEED", "0"), ("VLLM_MAX_TOKENS_PER_EXPERT", "4"))
    assert said(replace(ALLOWED, args=args, env=env)) == ""
    assert said(replace(LLAMA, args=(("model-draft", "/models/d.gguf"), ("draft-max", 4), ("ctx-size", 4096)))) == ""


@pytest.mark.parametrize(
    ("image", "allowed"),
    [
        ("vllm/vllm-openai:nightly", True),
        ("ghcr.io/acme/sub/vllm:1", True),
        (f"ghcr.io/acme/vllm@sha256:{'0123' * 16}", True),
        ("ghcr.io#acme/vllm:1", True),
        ("/images/vllm.sqsh", True),
        ("ghcr.io/acme/vllm@sha256:0123", False),
        ("ghcr.io/acme/Vllm:1", False),
        ("docker://ghcr.io/acme/vllm:1", False),
        ("me@ghcr.io/acme/vllm:1", False),
        ("/image/vllm.sqsh", False),
        ("/images/../home/me/vllm.sqsh", False),
        ("images/vllm.sqsh", False),
        ("vllm/vllm-openai-evil:1", False),
        ("evil/vllm/vllm-openai:1", False),
        ("ghcr.io/acme/../evil/vllm:1", False),
        ("ghcr.io/acme/x y", False),
        ("ghcr.io/acme/x\n--privileged", False),
        ("ghcr.io/acme/\u202ex", False),
        ("ghcr.io/acme/x\x1b[2J", False),
        ("ghcr.io/\u0430cme/x", False),  # a Cyrillic letter
        ("ghcr.io/acme/" + "x" * 300, False),
        ("", False),
    ],
)
def test_images(image: str, allowed: bool) -> None:
    found = said(replace(ALLOWED, image=image))
    assert (found == "") is allowed
    assert allowed or found.startswith("image: ")


@pytest.mark.parametrize(
    ("model", "allowed"),
    [
        ("example/glow", True),
        ("/models/glow-fp8", True),
        ("other/glow", False),
        ("/models/../home/x", False),
        ("/models/..", False),
        ("/models/..\\x", False),
        ("example/..name", True),
        ("--config", False),
        ("example/$(id)", False),
        ("https://evil.example/example/glow", False),
        ("example/" + "x" * 300, False),
    ],
)
def test_models_and_draft_models_alike(model: str, allowed: bool) -> None:
    found = said(replace(ALLOWED, model=model))
    assert (found == "") is allowed
    assert allowed or found.startswith("model: ")
    draft = said(replace(LLAMA, args=(("model-draft", model), ("draft-max", 4))))
    assert (draft == "") is allowed
    assert allowed or draft.startswith("roles.agg.args.model-draft: ")


def test_the_draft_model_inside_the_speculative_config() -> None:
    outside = '{"method":"dspark","num_speculative_tokens":3,"model":"evil/draft"}'
    assert said(replace(ALLOWED, args=(("speculative-config", outside),))).startswith(
        "roles.agg.args.speculative-config.model: evil/draft is not one that the operator allows"
    )


@pytest.mark.parametrize(
    "name",
    REFUSED_BY_VLLM.split(),
)
def test_arguments_that_read_execute_or_open_are_refused(name: str) -> None:
    assert said(replace(ALLOWED, args=((name, "x"),))).startswith(f"roles.agg.args.{name} is not an argument")


@pytest.mark.parametrize(
    "name",
    REFUSED_BY_LLAMACPP.split(),
)
def test_arguments_of_llamacpp_that_are_refused(name: str) -> None:
    assert said(replace(LLAMA, args=((name, "x"),))).startswith(f"roles.agg.args.{name} is not an argument")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("served-model-name", "--middleware=evil.Thing", "another option"),
        ("served-model-name", "-x", "another option"),
        ("served-model-name", "one,two", "plain name"),
        ("served-model-name", "a b", "plain name"),
        ("served-model-name", "../../x", "plain name"),
        ("speculative-config", '{"method":"mtp","revision":"refs/pr/7"}', "revision"),
        ("served-model-name", "a\x00b", "control character"),
        ("served-model-name", "a\u2066b", "control character"),
        ("load-format", "../../x", "values"),
        ("scheduler-cls", "evil.Scheduler", "values"),
        ("distributed-executor-backend", "evil.Executor", "values"),
        ("quantization", "a/b", "values"),
        ("kv-transfer-config", '{"kv_connector":"E","kv_connector_module_path":"evil"}', "kv_connector_module_path"),
        ("kv-transfer-config", '{"connectors":[{"kv_connector_module_path":"evil"}]}', "kv_connector_module_path"),
        ("compilation-config", '{"inductor_passes":{"a":"evil.f"}}', "inductor_passes"),
        ("compilation-config", '{"backend":"evil.f"}', "backend"),
        ("compilation-config", "/etc/passwd", "JSON object"),
        ("speculative-config", '{"method":"mtp","draft_load_config":{}}', "draft_load_config"),
    ],
)
def test_values_that_are_refused(name: str, value: str, words: str) -> None:
    found = said(replace(ALLOWED, args=((name, value),)))
    assert found.startswith(f"roles.agg.args.{name}")
    assert words in found


@pytest.mark.parametrize(
    "name",
    REFUSED_VARIABLES.split(),
)
def test_environment_that_is_refused(name: str) -> None:
    assert said(replace(ALLOWED, env=((name, "x"),))).startswith(f"roles.agg.env.{name} is a variable that")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("VLLM_ALLREDUCE_USE_FLASHINFER", "1", True),
        ("NCCL_IB_HCA", "mlx5_0,mlx5_1", True),
        ("DYN_TOKENIZER", "fastokens", True),
        ("VLLM_SHARED_EXPERTS_STREAM_TOKEN_THRESHOLD", "1", True),
        ("PYTHONUNBUFFERED", "1", True),
        ("A-B", "1", False),
        ("A=B", "1", False),
        ("", "1", False),
        ("VLLM_X", "a\nb", False),
        ("VLLM_USE_DEEP_GEMM\u200b", "1", False),
        ("\uff36LLM_USE_DEEP_GEMM", "1", False),  # a full-width letter
    ],
)
def test_other_environment(name: str, value: str, allowed: bool) -> None:
    assert (said(replace(ALLOWED, env=((name, value),))) == "") is allowed


@pytest.mark.parametrize(("length", "allowed"), [(16_000, True), (17_000, False)])
def test_a_launch_has_a_size(length: int, allowed: bool) -> None:
    for launch in (
        replace(ALLOWED, args=(("compilation-config", f'{{"mode": "{"x" * length}"}}'),)),
        replace(ALLOWED, env=tuple((f"VLLM_{number}", "x" * 90) for number in range(length // 100))),
    ):
        found = said(launch)
        assert (found == "") is allowed
        assert allowed or found.startswith("roles.agg.args and roles.agg.env have 1")


def test_every_breach_is_named() -> None:
    assert len(breaches(POLICY, replace(ALLOWED, image="x", model="y", args=(("port", 1),)), ROLE)) == 3
