#!/usr/bin/env bash
# The steps of the Dockerfile, so that they can be run where no container engine is.
# usage: scripts/image.sh build SOURCE TARGET   an environment in TARGET that holds the bot and nothing to build with
#        scripts/image.sh user TARGET           the account that runs it, with a folder of its own
#        scripts/image.sh health                exit status 0 while the bot answers on its webhook port
set -euo pipefail
case ${1:-} in
  build)
    source=${2:?SOURCE} target=${3:?TARGET}
    python3 -m venv "$target"
    "$target/bin/pip" install --quiet --require-hashes -r "$source/requirements/bot.lock"
    # setuptools builds the wheel and stays out of the image
    python3 -m venv /tmp/gatekit-wheel
    grep -A20 '^setuptools==' "$source/requirements/dev.lock" | awk 'NR == 1 || /^ /{print; next} {exit}' >/tmp/gatekit-wheel/setuptools.lock
    /tmp/gatekit-wheel/bin/pip install --quiet --require-hashes -r /tmp/gatekit-wheel/setuptools.lock
    /tmp/gatekit-wheel/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /tmp/gatekit-wheel/out "$source"
    "$target/bin/pip" install --quiet --no-deps /tmp/gatekit-wheel/out/gatekit-*.whl
    rm -rf /tmp/gatekit-wheel
    ;;
  user)
    target=${2:?TARGET}
    useradd --system --create-home --home-dir /var/lib/gatekit --shell /usr/sbin/nologin gatekit
    "$target/bin/gatekit" --help >/dev/null
    ;;
  health)
    exec python3 -c "import os, urllib.request as u; u.urlopen(f\"http://127.0.0.1:{os.environ.get('GATEKIT_PORT', 8080)}/healthz\", timeout=3)"
    ;;
  *)
    sed -n '2,6p' "$0" >&2
    exit 2
    ;;
esac
