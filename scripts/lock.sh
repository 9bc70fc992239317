#!/usr/bin/env bash
# Writes the locks of requirements/ anew: every version pinned, every file by hash, no registry address.
# usage: scripts/lock.sh        (needs .venvs/bot; then commit what changed)
set -euo pipefail
cd "$(dirname "$0")/.."
# extras are kept: pip's hash mode treats hishel[async,httpx] as a requirement of its own
lock() {
  "${UV:-.venvs/bot/bin/uv}" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header \
    --no-annotate --no-emit-index-url --no-emit-find-links --index-strategy unsafe-best-match "$@" >/dev/null
}
lock pyproject.toml -o requirements/bot.lock
lock pyproject.toml --group dev -o requirements/dev.lock
lock requirements/aiperf.in -o requirements/aiperf.lock
lock requirements/engine.in -o requirements/engine.lock
lock requirements/vllm.in --override requirements/vllm.without -o requirements/vllm.lock
