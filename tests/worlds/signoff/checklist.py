"""A checklist of our own with every topic, and sign-offs made from it."""

from collections.abc import Mapping

from gatekit.signoff.checklist.phrase import PHRASE

ITEMS: Mapping[str, str] = {
    "1": "I copied this from the latest version of the checklist.",
    "2": "The code quality is at least what it was.",
    "3": "This change has passed PR validation, and the run is linked here.",
    "4": "It passes evals, and their numbers stand in the linked run.",
    "5": "Where drafts are checked, prompts went through the model's chat template.",
    "6": "The draft model or head is served as it ships, in the precision that is stored.",
    "7": "For agentic workloads, acceptance is simulated at the golden value of model, mode and draft length.",
    "8": "Nothing in it is deprecated by the table of models.",
    "9": "The architecture of the model is whole: no override makes it compute less.",
    "10": "The engines vLLM and SGLang run from their own docker organisations.",
    "11": "An open engine stood on this hardware before vendor engines did.",
    "12": "Each serving setup is described in the vLLM recipes or the SGLang [cookbook](https://docs.sglang.io/cookbook).",
    "12a": "I linked the corresponding change over there, and it is merged.",
    "13": "This change does not patch what serves, or a waiver filed with it says why.",
    "14": "With `append-only: true`, points are added and no other point is touched.",
    "15": "Whatever cannot be satisfied has its reasons below.",
    "16": "I counted the pareto points of every affected curve, or it is N/A because there is none.",
}
DETAILS = "### Additional detail section:"
PLACEHOLDER = "- write here what the boxes ask for"


def form(boxes: Mapping[str, str] | None = None, details: str = PLACEHOLDER, signed: str = "YOUR_NAME") -> str:
    """The form with a line of your own for some items: `[x] text`, or "" to leave one out. Others are ticked."""
    lines = [PHRASE]
    for label, text in ITEMS.items():
        line = (boxes or {}).get(label, f"[x] {text}")
        indent = "  " if label.endswith("a") else ""
        lines += [f"{indent}- {line}"] if line else []
    return "\n".join((*lines, "", DETAILS, details, "", f"Signed: `{signed}`"))


def page() -> str:
    """The checklist's page as a repository has it."""
    empty = form({label: f"[ ] {text}" for label, text in ITEMS.items()})
    return f"# Checklist\n\nFill it in.\n\n## Template\n```\n{empty}\n```\n\n## Example\n\n- [x] nothing\n"


def open_box(label: str, more: str = "") -> dict[str, str]:
    return {label: f"[ ] {ITEMS[label]} {more}".rstrip()}
