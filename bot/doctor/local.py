"""A local cluster: everything that a gate starts or reads is on this machine, so it is looked at."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.cluster.config import ClusterEntry
from bot.cluster.local.executor import PATH
from bot.doctor.finding import Finding, bad, fine, unknown, unseen
from bot.files import own_curves
from gatekit.cluster.policy import Cluster

PROMPTS_MEND = "prepare the prompts (gatekit prompts prepare), or correct `prompts`"


def judge_prompts(check: str, path: str, sha256: str) -> Finding:
    curves = own_curves().items()
    needs = {name: curve.collection.prompts_sha256 for name, curve in curves if curve.collection is not None}
    return judge_digest(check, f"{path}, sha256 {sha256}", sha256, needs)


def judge_digest(check: str, said: str, sha256: str, needs: Mapping[str, str | None]) -> Finding:
    """`needs`: by curve, the digest that it was measured with; None: nobody wrote it down."""
    known = {name: digest for name, digest in needs.items() if digest is not None}
    others = sorted(name for name, digest in known.items() if digest != sha256)
    if others:
        return bad(check, f"{said}: not the file of the curves {', '.join(others)}", PROMPTS_MEND)
    if not known:
        why = f"whether it is the right file, since no curve of ours names its digest: {said}"
        return unseen(check, why, "compare it with prompts.sha256 in the .github/gatekit.yml of the repositories")
    return fine(check, said)


AIPERF = "0.13"
AIPERF_MEND = f"install aiperf {AIPERF} into an environment of its own, and name it as `aiperf`"
TOKENIZER_MEND = "put the tokenizer there, or take `tokenizer` out"
NO_TOKENIZER = "none named: aiperf loads it by the model's name"
VERSION_SECONDS = 60.0  # it loads much before it answers

_VERSION = re.compile(r"\b([0-9]+\.[0-9]+)\.[0-9]+\S*")


def check_local(entry: ClusterEntry, *, allow_local: bool) -> Iterator[Finding]:
    cluster = entry.cluster
    at = f"cluster {cluster.name}"
    yield _executor(f"{at}: executor", allow_local=allow_local)
    yield _root(f"{at}: root", Path(entry.root))
    for engine, words in cluster.engines.items():
        yield _engine(f"{at}: {engine}", words)
    yield _aiperf(f"{at}: aiperf", cluster.aiperf)
    yield _prompts(f"{at}: prompts", Path(cluster.prompts))
    yield _tokenizer(f"{at}: tokenizer", cluster.tokenizer)


def _executor(check: str, *, allow_local: bool) -> Finding:
    if not allow_local:
        why = "pull requests would run processes on this machine, which GATEKIT_ALLOW_LOCAL does not allow"
        return bad(check, why, "set GATEKIT_ALLOW_LOCAL=1 where that is wanted, or give the cluster another executor")
    return fine(check, "local: processes of this machine")


def _root(check: str, root: Path) -> Finding:
    there = next((folder for folder in (root, *root.parents) if folder.exists()), root)
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return bad(check, f"{there} is no folder that can be written to", "correct `root`, or its owner")
    return fine(check, str(root) if there == root else f"{root}: not there yet; the first gate makes it")


def _engine(check: str, words: tuple[str, ...]) -> Finding:
    missing = [word for word in words[1:] if word.startswith("/") and not Path(word).exists()]
    if _program(words) is None:
        return bad(check, f"{words[0]} is no program here", f"install it, or correct it; searched is {PATH}")
    if missing:
        return bad(check, f"{missing[0]} is not there", "put it there, or correct the command")
    return fine(check, " ".join(words))


def _aiperf(check: str, words: tuple[str, ...]) -> Finding:
    if _program(words) is None:
        return bad(check, f"{words[0]} is no program here", AIPERF_MEND)
    try:
        said = _version(words)
    except (OSError, subprocess.SubprocessError) as error:
        return unknown(check, f"{words[0]} --version did not end well ({type(error).__name__})", AIPERF_MEND)
    return aiperf_version(check, said)


def aiperf_version(check: str, said: str) -> Finding:
    """Of what `aiperf --version` printed."""
    found = _VERSION.search(said)
    if found is None:
        return unknown(check, "aiperf --version named no version", AIPERF_MEND)
    return fine(check, found[0]) if found[1] == AIPERF else bad(check, f"version {found[0]}", AIPERF_MEND)


def _version(words: tuple[str, ...]) -> str:
    with tempfile.TemporaryDirectory(prefix="gatekit-") as home:
        env = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home}
        ended = subprocess.run(
            [*words, "--version"],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VERSION_SECONDS,
            check=True,
        )
    return ended.stdout


def _prompts(check: str, path: Path) -> Finding:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return bad(check, f"{path} cannot be read ({error.strerror})", PROMPTS_MEND)
    return judge_prompts(check, str(path), digest)


def _tokenizer(check: str, folder: str | None) -> Finding:
    if folder is None:
        return fine(check, NO_TOKENIZER)
    if not Path(folder).is_dir():
        return bad(check, f"{folder} is no folder", TOKENIZER_MEND)
    return fine(check, folder)


def _program(words: tuple[str, ...]) -> str | None:
    return shutil.which(words[0], path=PATH)


def check_policy(check: str, cluster: Cluster) -> Finding:
    lists = {"policy.images": cluster.policy.images, "policy.models": cluster.policy.models, "engines": cluster.engines}
    empty = [name for name, values in lists.items() if not values]
    if empty:
        mend = "write down what a pull request may name, and how its engine is started"
        return bad(check, f"{', '.join(empty)}: nothing is allowed, so every gate is refused", mend)
    images, models = ", ".join(cluster.policy.images), ", ".join(cluster.policy.models)
    return fine(check, f"images {images}; models {models}; engines {', '.join(cluster.engines)}")
