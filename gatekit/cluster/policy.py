"""What the operator allows a gate to be, container images included. A pull request can narrow this, never widen it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gatekit.bench.recipes.roles import Role, json_mapping
from gatekit.domain.gates import ArgValue, Launch
from gatekit.engines.engine import Arguments
from gatekit.engines.registry import ENGINES, Registry

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


_MODEL = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./:@+-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NEGATIVE = re.compile(r"-[0-9.]+")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control, format and direction marks, line separators

# Of upper-case names: what changes which code runs, where it connects, or who it is.
_REFUSED = re.compile(
    r"^(LD|DYLD|GATEKIT|SLURM|SBATCH|SRUN|SALLOC|AWS|AZURE|GOOGLE|GITHUB|GIT|SSH|SSL|CURL|PIP|UV|XDG|KRB5)_"
    r"|^PYTHON|^BASH|^OMPI_MCA|^MALLOC_|^GLIBC_|^TORCHINDUCTOR|^VIRTUAL_ENV|^CONDA|^NVCC|^PERL5|^RUBY|^JAVA_|^NODE_"
    r"|^(PATH|HOME|ENV|IFS|PS4|SHELL|SHELLOPTS|CDPATH|TERMINFO|CC|CXX|CUDACXX|LOCPATH|NLSPATH|HOSTALIASES)$"
    r"|PROXY|ENDPOINT|PLUGIN|PRELOAD|PATH$|_CONF_FILE$|_CONFIG_FILE$|MODULE_DIR|CONFIG_ROOT|_SO$|_(CMD|COMMAND|HOOK)"
    r"|SECRET|PASSW|CREDENTIAL|COOKIE|(^|_)AUTH|KEYS?(_|$)|TOKEN(?!IZ|S_|_THRESHOLD)"
    r"|INSECURE|RUNTIME_LORA|MODELSCOPE|CA_BUNDLE|LIBRARIES$|_SERVERS?$|^SSL|^NETRC$|^MPL"
    r"|^(OPENSSL|CMAKE|OTEL|RAY|DOCKER|LUA)_|^KUBE|^(C|CXX|CPP|LD|MAKE)FLAGS$"
)
_LONGEST_NAME = 255
_LARGEST_LAUNCH = 16 * 1024  # characters of arguments and environment; a real recipe has 2,000
_HARMLESS = frozenset(
    {
        "PYTHONHASHSEED",
        "PYTHONNOUSERSITE",
        "PYTHONUNBUFFERED",
        "OFFLOAD_MIN_LOAD_TOKENS",
        "OFFLOAD_MIN_SAVE_TOKENS",
    }
)


@dataclass(frozen=True, slots=True)
class Policy:
    """Prefixes of images and models that a recipe may name, and what of the node's files its engine sees."""

    images: tuple[str, ...]
    models: tuple[str, ...]
    mounts: tuple[str, ...] = ()  # source:target[:ro], for an engine in a container


@dataclass(frozen=True, slots=True)
class Cluster:
    """What planning and launching must know of a cluster."""

    name: str
    serves: tuple[str, ...]
    policy: Policy
    engines: Mapping[str, tuple[str, ...]]  # engine -> argv that starts it
    aiperf: tuple[str, ...]
    prompts: str  # path of the prompt file on the cluster
    tokenizer: str | None
    container: str  # what starts the engine from its image: "pyxis"; empty: the engine that is installed there runs
    start_minutes: int
    replay_minutes: int
    gpus: int = 0  # of a node, for the step that a container runs in; 0: none are asked for
    launcher: str = "command"  # "command": we start one engine on one node; "srtctl": srt-slurm starts the recipe


def breaches(policy: Policy, launch: Launch, role: Role, engines: Registry = ENGINES) -> tuple[str, ...]:
    """What the operator does not allow of a launch, one sentence each with the key to change; empty: all is allowed.

    `role` is where the launch came from: its places in the recipe go into the sentences.
    """
    engine = engines.by_name[launch.engine]
    named = [("model", launch.model)]
    named += [(f"{role.args_at}.{at}", model) for at, model in engine.models(launch.args)]
    found = [_image_breach(launch.image, policy.images)]
    found += [_name_breach(where, name, policy.models) for where, name in named]
    found += [_argument_breach(engine.arguments, f"{role.args_at}.{name}", name, value) for name, value in launch.args]
    found += [_environment_breach(f"{role.env_at}.{name}", name, value, engines) for name, value in launch.env]
    found.append(_size_breach(launch, role))
    return tuple(breach for breach in found if breach is not None)


def _image_breach(image: str, prefixes: tuple[str, ...]) -> str | None:
    if len(image) > _LONGEST_NAME or pyxis_image(image) is None:
        return (
            f"image: {_shown(image)} is no name of an image; write [registry/]name[:tag][@sha256:digest], or the path "
            f"of an image's file, with at most {_LONGEST_NAME} characters"
        )
    return _name_breach("image", spelled(image), tuple(map(spelled, prefixes)))


def _name_breach(where: str, name: str, prefixes: tuple[str, ...]) -> str | None:
    if not _is_plain(name):
        return _not_plain(where, name)
    if not any(name.startswith(prefix) for prefix in prefixes):
        allowed = ", ".join(prefixes) or "nothing"
        return f"{where}: {name} is not one that the operator allows; allowed is what begins with {allowed}"
    return None


def _is_plain(name: str) -> bool:
    inside = ".." not in re.split(r"[/\\]", name)
    return inside and len(name) <= _LONGEST_NAME and _MODEL.fullmatch(name) is not None


def _not_plain(where: str, name: str) -> str:
    return (
        f"{where}: {_shown(name)} is not a plain name; use letters, digits and ._/:@+- only, no '..', and at most "
        f"{_LONGEST_NAME} characters"
    )


def _size_breach(launch: Launch, role: Role) -> str | None:
    """The launch is stored with its gate, and a command line has an end."""
    size = sum(len(name) + len(str(value)) for name, value in (*launch.args, *launch.env))
    if size <= _LARGEST_LAUNCH:
        return None
    return f"{role.args_at} and {role.env_at} have {size:,} characters, more than {_LARGEST_LAUNCH:,}; take some out"


def _argument_breach(arguments: Arguments, where: str, name: str, value: ArgValue) -> str | None:
    if not arguments.known(name):
        return f"{where} is not an argument that a gate may set; take it out"
    text = str(value)
    if _unprintable(text):
        return f"{where} holds a control character; take it out"
    if text.startswith("-") and not _NEGATIVE.fullmatch(text):
        return f"{where}: {_shown(text)} would be read as another option; a value must not begin with '-'"
    if name == arguments.served and not _is_plain(text):  # aiperf takes it too, and splits at a comma
        return _not_plain(where, text)
    pattern = arguments.values.get(name)
    if pattern is not None and not isinstance(value, bool) and pattern.fullmatch(text) is None:
        return f"{where}: {_shown(text)} is not one of the values that a gate may set"
    nested = arguments.nested.get(name)
    return None if nested is None else _nested_breach(nested, where, value)


def _nested_breach(allowed: frozenset[str], where: str, value: ArgValue) -> str | None:
    parsed = json_mapping(value)
    if parsed is None:
        return f"{where} is not a JSON object; write it as a mapping"
    for key, item in _settings(parsed):
        if key not in allowed:
            return f"{where}.{_shown(key)} is not a setting that a gate may have; take it out"
        if isinstance(item, str) and _unprintable(item):
            return f"{where}.{key} holds a control character; take it out"
    return None


def _settings(value: object) -> Iterator[tuple[str, object]]:
    """Every key at any depth, with its value."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key), item
            yield from _settings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _settings(item)


def _environment_breach(where: str, name: str, value: str, engines: Registry) -> str | None:
    if _VARIABLE.fullmatch(name) is None:
        return f"{_shown(where)} is not a name of a variable; use letters, digits and _"
    if _is_refused(name, engines):
        return f"{where} is a variable that a gate may not set; take it out"
    return f"{where} holds a control character; take it out" if _unprintable(value) else None


def _is_refused(name: str, engines: Registry) -> bool:
    """Whichever engine it is: what one of them must not be told, another has no use for."""
    known = [engine.variables for engine in engines.engines]
    if name in _HARMLESS or any(name in each.harmless for each in known):
        return False
    upper = name.upper()
    return _REFUSED.search(upper) is not None or any(upper.startswith(each.refused) for each in known)


def _unprintable(text: str) -> bool:
    return any(unicodedata.category(character) in _INVISIBLE for character in text)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:80]}…")
