"""Lines that change an engine on its way to being served, as far as they can be told from harmless ones."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from gatekit.signoff.change.scripts import live_lines


class Strength(StrEnum):
    STRONG = "strong"  # changes installed sources
    WEAK = "weak"  # may, or may not


@dataclass(frozen=True, slots=True)
class Sign:
    strength: Strength
    what: str
    where: str  # path:line
    line: str


_ENGINES = r"(?:vllm|sglang|sgl[-_]kernel|tensorrt[-_]llm|trtllm|atom|aiter|flashinfer|deep[-_]?gemm|deep[-_]?ep|nixl)"
_PACKAGES = "site-packages"
_ENV = re.compile(r"\s*[A-Z][A-Z0-9_]*\s*:")  # a recipe's environment may name a folder in there, and changes nothing
_SIGNS = (
    (Strength.STRONG, "git apply", re.compile(r"\bgit\s+(?:-C\s+\S+\s+)?(?:apply|am|cherry-pick)\b")),
    (Strength.STRONG, "patch", re.compile(r"(?:^|[;&|(\s])patch\s+(?:-\S+\s+)*(?:-p\d|--strip|-i\b|<)")),
    (Strength.STRONG, "sed -i", re.compile(r"\bsed\s+(?:-\S+\s+)*(?:-i|--in-place|-[a-zA-Z]*i[a-zA-Z]*)\b")),
    (Strength.STRONG, "an installed module is looked up", re.compile(r"\bfind_spec\b")),
    (
        Strength.STRONG,
        "an engine is installed",
        re.compile(rf"\b(?:uv\s+)?pip3?\s+install\b.*(?:\b{_ENGINES}\b|git\+https?://|\.whl\b)", re.IGNORECASE),
    ),
    (Strength.WEAK, "Python from a script", re.compile(r"\bpython3?\s+-\s*(?:<<|$)|\bpython3?\s+-c\b")),
    (Strength.WEAK, _PACKAGES, re.compile(r"\b(?:site|dist)-packages\b")),
    (Strength.WEAK, "the engine's workspace", re.compile(r"/(?:sgl-workspace|vllm-workspace)\b")),
    (Strength.WEAK, "sitecustomize", re.compile(r"\bsitecustomize\b")),
    (Strength.WEAK, "LD_PRELOAD", re.compile(r"\bLD_PRELOAD\s*[=:]")),
    (Strength.WEAK, "PYTHONPATH", re.compile(r"\bPYTHONPATH\s*[=:]")),
)
LONGEST = 5_000  # signs of a line that is read; a longer one is for a person
PATCH_FILES = (".patch", ".diff")


def signs(path: str, data: bytes) -> Iterator[Sign]:
    """At most one sign for each line, the strongest. A patch file is one by itself."""
    if path.endswith(PATCH_FILES):
        yield Sign(Strength.STRONG, "a patch file", path, path.rsplit("/", 1)[-1])
        return
    for number, line in live_lines(data):
        if len(line) > LONGEST:
            yield Sign(Strength.WEAK, "a very long line", f"{path}:{number}", line[:LONGEST])
            continue
        for strength, what, form in _SIGNS:
            if form.search(line) and not (what == _PACKAGES and _ENV.match(line)):
                yield Sign(strength, what, f"{path}:{number}", line.strip())
                break
