"""Our folder on the cluster, and what the operator put there for gates. Only the login node was asked."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from bot.doctor.finding import Finding, bad, fine, unknown, unseen, warning
from bot.doctor.local import AIPERF, AIPERF_MEND, NO_TOKENIZER, PROMPTS_MEND, TOKENIZER_MEND, judge_prompts
from bot.doctor.slurm.scene import Judge, Scene, is_own

RUN_MIB = 256  # of one attempt: its scrapes and slices are bounded at 100, logs come on top
RUN_FILES = 100
LATE_DAYS = 3  # beyond keep_days: the bot removes a few at a time


def root(scene: Scene, check: str) -> Finding:
    folder = scene.entry.root
    missing = [path for path in (folder, f"{folder}/bin", f"{folder}/runs") if path not in scene.found.root.writable]
    if missing:
        return bad(check, f"{missing[0]} is no folder that can be written to", "correct `root`, or its owner")
    return fine(check, folder)


def space(scene: Scene, check: str) -> Finding:
    found, jobs = scene.found.root, scene.entry.max_jobs
    if found.space is None:
        return unknown(check, "df said nothing of it", f"run df {scene.entry.root} by hand")
    said = f"{found.space / 2**20:.1f} GiB free below {scene.entry.root}; df does not know quotas"
    if found.space < jobs * RUN_MIB * 1024:
        return bad(check, said, f"make room: {jobs} gates at a time may write {jobs * RUN_MIB / 1024:.1f} GiB")
    if found.inodes is not None and 0 < found.inodes < jobs * RUN_FILES:
        return bad(check, f"only {found.inodes} more files fit below {scene.entry.root}", "make room")
    return fine(check, said)


def file_system(scene: Scene, check: str) -> Finding:
    """A login node's own disk may be exported to the compute nodes, but mostly is not."""
    systems = _systems(scene)
    own = [path for path, system in systems.items() if is_own(system)]
    if own:
        named = ", ".join(f"{path} ({systems[path]})" for path in own)
        why = f"whether the compute nodes see what lies on the login node's own disk: {named}"
        return unseen(check, why, scene.on_a_node(f"ls {' '.join(own)}"))
    return fine(check, ", ".join(sorted(set(systems.values()))))


def _systems(scene: Scene) -> Mapping[str, str]:
    """The kind of its file system, by path."""
    found, cluster = scene.found, scene.entry.cluster
    looked = {
        scene.entry.root: found.root,
        cluster.prompts: found.files.get("prompts"),
        cluster.aiperf[0]: found.programs.get("aiperf"),
        cluster.tokenizer: found.folders.get("tokenizer"),
    }
    return {path: one.system for path, one in looked.items() if path is not None and one is not None}


def run_folders(scene: Scene, check: str) -> Finding:
    found = scene.found.root
    if not found.runs or not scene.found.clocks:
        return fine(check, f"{found.runs} run folders")
    days = (scene.found.clocks[0] - found.oldest) / 86400
    said = f"{found.runs} run folders, the oldest {days:.0f} days old"
    if days > scene.entry.keep_days + LATE_DAYS:
        mend = f"see that the bot runs; what no bot knows any more below {scene.entry.root}/runs, remove by hand"
        return warning(check, f"{said}, though they are kept for {scene.entry.keep_days}", mend)
    return fine(check, said)


def aiperf(scene: Scene, check: str) -> Finding:
    """Its version is read from what was installed beside it: nothing that a clusters file names is run."""
    word, found = scene.entry.cluster.aiperf[0], scene.found.programs.get("aiperf")
    if found is None or found.path is None:
        return bad(check, f"{word} is no program on the login node", AIPERF_MEND)
    if not found.aiperf:
        why = f"nothing beside {found.path} tells its version, and it was not run"
        return unseen(check, why, f"{word} --version must say {AIPERF}")
    versions = ", ".join(sorted(found.aiperf))
    if any(not version.startswith(f"{AIPERF}.") for version in found.aiperf):
        return bad(check, f"version {versions}", AIPERF_MEND)
    return fine(check, versions)


def prompts(scene: Scene, check: str) -> Finding:
    path, found = scene.entry.cluster.prompts, scene.found.files.get("prompts")
    if found is None or found.sha256 is None:
        return bad(check, f"{path} cannot be read on the login node", PROMPTS_MEND)
    return judge_prompts(check, path, found.sha256)


def tokenizer(scene: Scene, check: str) -> Finding:
    path, found = scene.entry.cluster.tokenizer, scene.found.folders.get("tokenizer")
    if path is None:
        return fine(check, NO_TOKENIZER)
    if found is None or not found.there:
        return bad(check, f"{path} is no folder on the login node", TOKENIZER_MEND)
    if not found.holds:
        return bad(check, f"{PurePosixPath(path)} holds no tokenizer.json or the like", TOKENIZER_MEND)
    return fine(check, path)


JUDGES: Mapping[str, Judge] = {
    "root": root,
    "space": space,
    "file system": file_system,
    "run folders": run_folders,
    "aiperf": aiperf,
    "prompts": prompts,
    "tokenizer": tokenizer,
}
