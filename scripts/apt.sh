#!/usr/bin/env bash
# Installs system packages by apt, for whichever checkout; two at once would fail by apt's own locks.
# usage: scripts/apt.sh PACKAGE...      needs root; starts no service (RUNLEVEL=1 keeps Debian's scripts from it)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/turn.sh
turn /run/lock/gatekit-apt.lock "system packages"
apt-get update -qq
RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 "$@" >/dev/null 9>&-
