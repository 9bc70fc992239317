#!/usr/bin/env bash
# The system tools that tests drive: a browser with its driver, Node.js with npm, git. Does nothing where they are there.
set -euo pipefail
packages=()
need() { command -v "$1" >/dev/null 2>&1 || packages+=("$2"); }
need chromium chromium
need chromedriver chromium-driver
need npm npm
need git git
[ ${#packages[@]} = 0 ] && exit 0
[ "$(id -u)" = 0 ] || { echo "scripts/tools.sh: the tests need: apt-get install ${packages[*]}" >&2; exit 2; }
echo "installing ${packages[*]}" >&2
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
