#!/usr/bin/env bash
# The two commands of the README on a machine that has nothing: a Debian bookworm made by debootstrap, with a clone of HEAD in it.
# Also runs the steps of the Dockerfile there. Needs root; takes its packages from where this machine takes them.
# usage: scripts/fresh_check.sh [TARGET...]      default: demo test
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "make fresh-check needs root: debootstrap and chroot do" >&2; exit 2; }
command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap >/dev/null; }

mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' | sed -n 1p) || true # files that are not there are no error
[ -n "$mirror" ] || { echo "no Debian mirror in this machine's apt sources" >&2; exit 2; }
root=$(mktemp -d /var/tmp/gatekit-fresh.XXXXXX)
chmod 755 "$root" # it is / for the accounts in there
leave() {
  for place in dev/shm dev sys proc; do mountpoint -q "$root/$place" && umount -lR "$root/$place"; done
  rm -rf --one-file-system "$root"
}
trap leave EXIT

debootstrap --variant=minbase --include=python3,make,git,ca-certificates bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log" >&2; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys" # slurmd reads the processors and the control groups there
mount --make-rslave "$root/sys"
mount --bind /dev "$root/dev"
mount --bind /dev/shm "$root/dev/shm"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$root/etc/hosts" # as an installer writes it
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt" # a proxy's certificate, where there is one
git clone -q --no-hardlinks . "$root/root/gatekit"

inside() { # what a person's shell there would have, and how this machine reaches its registries
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt npm_config_cafile=/etc/ssl/certs/ca-certificates.crt \
    chroot "$root" bash -c "$1"
}
for target in "${@:-demo test}"; do
  for one in $target; do
    echo "== make $one, in a fresh Debian bookworm"
    start=$SECONDS
    inside "cd /root/gatekit && make $one"
    echo "== make $one took $((SECONDS - start)) s"
  done
done
echo "== the steps of the Dockerfile"
inside "cd /root/gatekit && apt-get install -y -qq python3-venv >/dev/null && scripts/image.sh build /root/gatekit /opt/gatekit &&
  scripts/image.sh user /opt/gatekit && /opt/gatekit/bin/gatekit --help >/dev/null"
echo "== fresh-check passed"
