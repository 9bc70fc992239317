"""The batch script of one attempt, and what sbatch is asked for. Neither holds a word that a pull request chose."""

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from gatekit.domain.ids import JobName, is_job_name

LIMIT_WARNING_SECONDS = 60  # between USR1 and the time limit: SLURM looks every 30 s only
_EXCLUDE = "--exclude="
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9._/+@=-]*")


@dataclass(frozen=True, slots=True)
class Request:
    """What the operator gives to every job of a cluster."""

    partition: str
    account: str
    minutes: int
    gpus: int  # on its one node; 0: none are asked for
    options: tuple[str, ...] = ()  # more words for sbatch, e.g. "--exclusive"


@dataclass(frozen=True, slots=True)
class Attempt:
    """Paths on the compute node; `mark` is in the environment of all processes of the job."""

    name: JobName
    run: str  # the run folder
    node: str  # the node program
    python: str
    scratch: str  # where the job makes a folder of its own
    mark: str


def sbatch_options(request: Request) -> tuple[str, ...]:
    """Words for sbatch's command line, which wins over the environment of the account and over the script."""
    gpus = (f"--gres=gpu:{request.gpus}",) if request.gpus else ()
    return (
        f"--partition={request.partition}",
        f"--account={request.account}",
        f"--time={request.minutes}",
        "--nodes=1",
        "--ntasks=1",
        *gpus,
        *request.options,
        "--no-requeue",
        "--export=NONE",
        f"--signal=B:USR1@{LIMIT_WARNING_SECONDS}",
    )


def avoid_option(request: Request, nodes: Iterable[str]) -> tuple[str, ...]:
    """The word for our program on the login node that keeps a job from these nodes, beside those of the operator; it is
    dropped where no other node is left. Names that are none are left out.
    """
    plain = [node for node in nodes if _NODE.fullmatch(node)]
    operators = [option.removeprefix(_EXCLUDE) for option in request.options if option.startswith(_EXCLUDE)]
    return (f"--avoid={','.join((*operators[-1:], *plain))}",) if plain else ()


def job_script(attempt: Attempt) -> str:
    """The text that sbatch takes. Raises ValueError for a name or a path that has no place in it."""
    if not is_job_name(attempt.name):
        raise ValueError(f"{attempt.name!r} is no job name")
    for path in (attempt.run, attempt.node, attempt.scratch):
        if not _PLAIN_PATH.fullmatch(path):
            raise ValueError(f"{path!r} has characters that SLURM or a shell would read as something else")
    values = {
        "name": attempt.name,
        "run": attempt.run,
        "node": attempt.node,
        "python": attempt.python,
        "place": attempt.scratch,
        "mark": attempt.mark,
    }
    return _HEAD + "".join(f"{key}={shlex.quote(value)}\n" for key, value in values.items()) + _BODY


_HEAD = """\
#!/bin/bash
# One attempt of one gate. Everything that it is about stands in job.json of its run folder.
set -u
umask 077
"""

_BODY = r"""
own=$run/slurm
me=$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}
why=exit scratch= child= left= alive=

say() { printf '%(%Y-%m-%dT%H:%M:%SZ)T %s\n' -1 "$*"; }

# The first to make this link has the attempt. The bot makes it where the attempt shall never run.
ln -s -- "$me" "$own/claim" 2>/dev/null
owner=$(readlink -- "$own/claim") || { say "the attempt cannot be claimed: look at the file system of $run"; exit 74; }
if [ "$owner" != "$me" ]; then
  say "job $me leaves: the attempt belongs to $owner"
  exit 0
fi

family() { # pids of the attempt's processes: with its mark, below its node program, or in a session with one of them
  # but for sessions of others: SLURM's step daemon heads that of a container, and its helpers have to clean up after it
  { ps -e -o pid= -o ppid= -o sess= -o stat= -o ruid=
    grep -lzsxF -- "GATEKIT_JOB=$mark" /proc/[0-9]*/environ | tr -cd '0-9\n'; } |
    awk -v top="$child" -v self=$$ -v ours="$session" -v me="$UID" '
      NF == 1 { family[$1]; next }
      $4 !~ /^[ZX]/ { parent[$1] = $2; session[$1] = $3; owner[$1] = $5 }
      END {
        if (top in parent) family[top]
        do {
          grew = 0
          for (pid in family)
            if (pid in parent && session[pid] != ours && !(session[pid] in owner && owner[session[pid]] != me))
              sessions[session[pid]]
          for (pid in parent)
            if (!(pid in family) && (parent[pid] in family || session[pid] in sessions)) { family[pid]; grew = 1 }
        } while (grew)
        for (pid in family) if (pid in parent && pid != self) print pid
      }'
}

end_processes() { # the node program is asked and ends its engine; what is left after two thirds of KillWait is killed
  local pids n
  [ -z "$child" ] || kill -TERM -- "-$child" 2>/dev/null
  for ((n = 0; n < patience; n++)); do
    [ -n "$child" ] && kill -0 "$child" 2>/dev/null || break
    sleep 0.1
  done
  for ((n = 0; n < 50; n++)); do
    pids=$(family)
    [ -n "$pids" ] || break
    kill -KILL $pids 2>/dev/null
    sleep 0.05
  done
  alive=$(family | tr '\n' ' ')
}

remove_scratch() {
  [ -n "$scratch" ] || return
  rm -rf --one-file-system -- "$scratch" 2>/dev/null
  [ -e "$scratch" ] || return
  left=$(find "$scratch" -mindepth 1 -printf '%u:%p ' 2>/dev/null | tr -cd 'A-Za-z0-9._/: -' | head -c 400)
}

finish() {
  local rc=$?
  trap - EXIT
  trap '' TERM INT HUP USR1
  end_processes
  remove_scratch
  printf '{"job":"%s","id":"%s","rc":%d,"why":"%s","left":"%s","alive":"%s"}\n' \
    "$name" "$me" "$rc" "$why" "$left" "$alive" >"$own/end.new" && mv -f -- "$own/end.new" "$own/end.json"
  exit "$rc"
}

printf '%s\n' "${SLURMD_NODENAME:-}" >"$own/node"
session=$(ps -o sess= -p $$ | tr -d ' ')
patience=$(timeout 10 scontrol show config 2>/dev/null | awk '$1 == "KillWait" { print int($3 * 20 / 3) }')
[ -n "$patience" ] && [ "$patience" -le 200 ] || patience=200 # tenths of a second
trap finish EXIT
trap 'why=term; exit 143' TERM INT HUP
trap 'why=limit; exit 124' USR1

[ -r "$node" ] || { why=setup; say "the node program $node is missing"; exit 78; }
scratch=$(mktemp -d "$place/gk-$UID-$me.XXXXXX") || { why=setup; say "no scratch folder below $place"; exit 73; }
say "job $me on $(uname -n)"
setsid env GATEKIT_JOB="$mark" TMPDIR="$scratch" "$python" -I -X utf8 "$node" "$run" </dev/null &
child=$!
wait "$child"
rc=$?
child=
exit "$rc"
"""
