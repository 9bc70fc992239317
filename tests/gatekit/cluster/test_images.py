"""An image's name, as a recipe has it and as pyxis takes it."""

import pytest

from gatekit.cluster.policy import pyxis_image, spelled

DIGEST = "sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("vllm/vllm-openai:v0.20", "vllm/vllm-openai:v0.20"),
        ("ubuntu", "ubuntu"),
        ("docker.io/vllm/vllm-openai:v0.20", "vllm/vllm-openai:v0.20"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc18", "nvcr.io#nvidia/tensorrt-llm/release:1.3.0rc18"),
        ("nvcr.io#nvidia/tensorrt-llm/release:1.3.0rc18", "nvcr.io#nvidia/tensorrt-llm/release:1.3.0rc18"),
        ("localhost/a:1", "localhost#a:1"),
        ("registry:5000/a/b:1", "registry:5000#a/b:1"),
        ("10.0.0.1:5000/a:1", "10.0.0.1:5000#a:1"),
        (f"lmsysorg/sglang:v0.5@{DIGEST}", f"lmsysorg/sglang@{DIGEST}"),
        (f"ghcr.io/a/b@{DIGEST}", f"ghcr.io#a/b@{DIGEST}"),
        ("rocm/atom:rocm7.2.3_ubuntu24.04_py3.12", "rocm/atom:rocm7.2.3_ubuntu24.04_py3.12"),
        ("/images/vllm+v0.20.sqsh", "/images/vllm+v0.20.sqsh"),
    ],
)
def test_what_pyxis_is_asked_for(name: str, taken: str) -> None:
    assert pyxis_image(name) == taken


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "/",
            "//x",
            "/a/",
            "./image.sqsh",
            "../image.sqsh",
            "image.sqsh/",
            "/images/a b.sqsh",
            "/images/$(id)",
            "/images/../x",
        ),
        *("docker://vllm/vllm-openai", "dockerd://x", "user@nvcr.io/nvidia/x", "$oauthtoken@nvcr.io#nvidia/x"),
        *("Vllm/vllm", "vllm//x", "vllm/x:", "vllm/x:-y", "vllm/x:a:b", "vllm/x@sha256:0123", "vllm/x@md5:0123"),
        *("a,b", "vllm/x --container-mounts=/:/h", "vllm/x\n", "nvcr.io#nvidia#x", "a/" + "b" * 20 + "é"),
    ],
)
def test_what_is_no_image(name: str) -> None:
    assert pyxis_image(name) is None


def test_a_registry_has_one_spelling() -> None:
    assert spelled("nvcr.io#nvidia/x:1") == spelled("nvcr.io/nvidia/x:1") == "nvcr.io/nvidia/x:1"
