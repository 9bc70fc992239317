#!/usr/bin/env bash
# Makes one virtual environment from its lock; does nothing where it is up to date. Prints nothing but what it installs.
# usage: scripts/venv.sh bot|aiperf|engine
#   bot     the bot and the tools to check it     aiperf  the replayer, whose pins clash with everything else
#   engine  llama.cpp and what writes its tiny models
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:?usage: scripts/venv.sh bot|aiperf|engine}
case $name in
  bot) lock=requirements/dev.lock ;;
  aiperf | engine) lock=requirements/$name.lock ;;
  *) echo "scripts/venv.sh: unknown environment '$name': take bot, aiperf or engine" >&2; exit 2 ;;
esac
here=.venvs/$name

python=
for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
  if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "scripts/venv.sh: no Python 3.11, 3.12 or 3.13 found: install one, or name it with PYTHON=" >&2; exit 2; }

stamp=$( { cat "$lock" pyproject.toml; "$python" -V; pwd; } | sha256sum | cut -d' ' -f1)
[ "$(cat "$here/.stamp" 2>/dev/null)" = "$stamp" ] && exit 0

missing=()
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv) # Debian keeps venv in a package of its own
if [ "$name" = engine ]; then # llama.cpp's threads
  "$python" -c 'import ctypes; ctypes.CDLL("libgomp.so.1")' 2>/dev/null || missing+=(libgomp1)
fi
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] || { echo "scripts/venv.sh: this machine lacks something: apt-get install ${missing[*]}" >&2; exit 2; }
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
echo "setting up $here" >&2
rm -rf "$here"
mkdir -p .venvs
"$python" -m venv "$here"
"$here/bin/pip" install --quiet --disable-pip-version-check --no-compile --require-hashes -r "$lock"
if [ "$name" = bot ]; then
  "$here/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
fi
echo "$stamp" >"$here/.stamp"
