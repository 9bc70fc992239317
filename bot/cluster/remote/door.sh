#!/bin/sh
# The only command that the bot's key may run, as sshd's authorized_keys has it: restrict,command="sh DOOR PROGRAM".
# It lets through the one program of ours that it is given, with words of a closed alphabet, and file transfer.
# Nothing is evaluated. Exit status: 126 for anything else.
set -uf
LC_ALL=C
export LC_ALL
program=$1
wanted=${SSH_ORIGINAL_COMMAND:-}

refuse() {
  printf 'this key runs nothing but %s and file transfer\n' "$program" >&2
  exit 126
}

case $wanted in
  internal-sftp | sftp-server | /*/sftp-server)
    for server in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server /usr/lib/ssh/sftp-server \
      /usr/libexec/sftp-server /usr/lib/misc/sftp-server; do
      [ -x "$server" ] && exec "$server"
    done
    printf 'no sftp-server was found on this machine\n' >&2
    exit 127
    ;;
  '' | *[!A-Za-z0-9\ =,:._/@+-]*) refuse ;;
esac

# shellcheck disable=SC2086  # split into words at blanks; the alphabet above has no other separator, and no pattern
set -- $wanted
[ $# -ge 3 ] && [ "$1" = sh ] && [ "$2" = "$program" ] || refuse
case $3 in
  submit | look | cancel | tidy | account | check) ;;
  *) refuse ;;
esac
shift 2
exec sh "$program" "$@"
