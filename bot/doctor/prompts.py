"""The prompt file against what the curves that come with the bot were measured with."""

from collections.abc import Mapping

from bot.doctor.finding import Finding, bad, fine, unseen
from bot.own_curves import own_curves

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
