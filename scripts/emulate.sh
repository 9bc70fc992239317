#!/usr/bin/env bash
# Installs emulate, a GitHub to test against that nobody here wrote, into .cache/emulate; does nothing where it is up to date.
# Versions and their digests stand in tests/emulate/. Where the machine's Node.js is older than 20, one comes along.
# Afterwards: .cache/emulate/node .cache/emulate/node_modules/emulate/dist/index.js
set -euo pipefail
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "scripts/emulate.sh: no npm found: install Node.js with npm" >&2; exit 2; }
here=.cache/emulate
. scripts/turn.sh
turn .cache/emulate.lock emulate

stamp=$(cat tests/emulate/package-lock.json tests/emulate/node/package-lock.json scripts/emulate.sh | sha256sum | cut -d' ' -f1)
[ "$(cat "$here/.stamp" 2>/dev/null)" = "$stamp" ] && "$here/node" --version >/dev/null 2>&1 && exit 0

echo "setting up $here" >&2
rm -rf "$here"
mkdir -p "$here/node-20"
install_into() { # DIRECTORY WITH THE LOCK, TARGET
  cp "$1/package.json" "$1/package-lock.json" "$2/"
  (cd "$2" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
}
install_into tests/emulate "$here"
if node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' 2>/dev/null; then
  ln -s "$(command -v node)" "$here/node"
else
  install_into tests/emulate/node "$here/node-20"
  for node in "$here"/node-20/node_modules/node-linux-*/bin/node; do
    chmod +x "$node"
    ln -s "${node#"$here"/}" "$here/node"
  done
fi
echo "$stamp" >"$here/.stamp"
