#!/usr/bin/env bash
# The system tools that tests drive: a browser with its driver, Node.js with npm, git, a SLURM with its accounting and
# what its plugins are built with, an OpenSSH server. Does nothing where they are there; starts nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=()
PATH=$PATH:/usr/sbin:/sbin
need() { command -v "$1" >/dev/null 2>&1 || packages+=("$2"); }
need chromium chromium
need chromedriver chromium-driver
need npm npm
need git git
need slurmctld slurmctld
need slurmd slurmd
need slurmdbd slurmdbd
need sbatch slurm-client
need munged munge
need mariadbd mariadb-server
need sshd openssh-server
[ -e /usr/lib/openssh/sftp-server ] || packages+=(openssh-sftp-server)
need gcc gcc
[ -e /usr/include/stdio.h ] || packages+=(libc6-dev)
[ -e /usr/include/slurm/spank.h ] || packages+=(libslurm-dev)
need ssh-keygen openssh-client
need ps procps
[ ${#packages[@]} = 0 ] && exit 0
[ "$(id -u)" = 0 ] || { echo "scripts/tools.sh: the tests need: apt-get install ${packages[*]}" >&2; exit 2; }
echo "installing ${packages[*]}" >&2
scripts/apt.sh "${packages[@]}"
