"""Names of container images: one spelling for the policy, and the one that pyxis takes."""

import re

_PIECE = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})+(?::[0-9]{{1,5}})?|{_LABEL}:[0-9]{{1,5}}|localhost)"
_NAME = re.compile(
    rf"(?:(?P<host>{_HOST})/)?(?P<path>{_PIECE}(?:/{_PIECE})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_FILE = re.compile(r"(?:/[A-Za-z0-9._+@-]+)+")
_DOCKER_HUB = ("docker.io", "index.docker.io", "registry-1.docker.io")


def spelled(name: str) -> str:
    """`HOST#NAME`, as recipes for pyxis have it, is `HOST/NAME`, as all others have it."""
    return name.replace("#", "/", 1)


def pyxis_image(name: str) -> str | None:
    """What `--container-image` takes for `[HOST/]NAME[:TAG][@sha256:…]` or the path of a file; None: it is neither.

    enroot takes every name without a `#` for one of Docker Hub's, and knows a tag or a digest but not both: the digest
    says it all.
    """
    if _FILE.fullmatch(name) and ".." not in name.split("/"):
        return name
    found = _NAME.fullmatch(spelled(name))
    if found is None:
        return None
    host = "" if found["host"] in (None, *_DOCKER_HUB) else f"{found['host']}#"
    version = f"@{found['digest']}" if found["digest"] else f":{found['tag']}" if found["tag"] else ""
    return f"{host}{found['path']}{version}"
