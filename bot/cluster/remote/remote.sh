#!/bin/sh
# What the bot runs on a login node. It is given words of a closed alphabet and files on stdin; nothing is evaluated.
# The program is remote.sh, tidy.sh, check.sh and verbs.sh, one after the other.
# usage: remote.sh submit ROOT NAME SHA256 SETTLE [--avoid=NODE,...] OPTION...   the batch script on stdin
#        remote.sh look ROOT                                  job names on stdin, one a line
#        remote.sh cancel ROOT                                job names on stdin
#        remote.sh tidy ROOT SUBMITTER                        job names on stdin
#        remote.sh account ID,ID,...
#        remote.sh check ROOT OPTION...                       what to look for on stdin, see check.sh
# Exit status: 0 it answered; 75 nothing is known, ask again; 64 wrong usage.
set -u
umask 077
LC_ALL=C
export LC_ALL

die() { # STATUS SENTENCE
  printf '%s\n' "$2" >&2
  exit "$1"
}

is_name() { case $1 in *[!a-z0-9-]* | gk- | -*) return 1 ;; gk-*) return 0 ;; *) return 1 ;; esac; }

is_root() { case $1 in *[!A-Za-z0-9._/+@=-]* | *..*) return 1 ;; /?*) return 0 ;; *) return 1 ;; esac; }

queue() { timeout 90 squeue --noheader --me --states=all --format='%A|%T|%r|%Z|%j' "$@" </dev/null; }

owner() { # of the attempt: a job that runs it, or a word that bars it
  readlink -- "$own/claim" 2>/dev/null
}

recorded() { # the job id on file
  head -c 20 -- "$own/jobid" 2>/dev/null | grep -x '[0-9][0-9]*'
}

record() {
  printf '%s\n' "$1" >"$own/jobid.new" && mv -f -- "$own/jobid.new" "$own/jobid" ||
    die 75 "the job id cannot be written below $own: is the disk full?"
}

say_and_leave() { # ANSWER
  cat >/dev/null
  printf 'gatekit answer\n%s\ngatekit end\n' "$1"
  exit 0
}

# The first job of ours under this name, if there is one. What sbatch refused leaves a record too, which is no job.
find_job() {
  queued=$(queue --name="$name") || return 1
  accounted=$(timeout 60 sacct --noheader --parsable2 --allocations --duplicates --starttime=now-14days --name="$name" \
    --format=JobIDRaw,State,Reason,WorkDir,JobName </dev/null 2>/dev/null)
  printf '%s\n%s\n' "$queued" "$accounted" |
    awk -F'|' -v run="$run" -v name="$name" \
      '$1 ~ /^[0-9]+$/ && $3 != "BadConstraints" && $4 == run && $5 == name { print $1 }' | sort -n | head -n 1
}

take_script() { # SHA256: the whole script or none. A cut connection looks like the end of the file.
  cat >"$own/script.new" || die 75 "the batch script cannot be written below $own: is the disk full?"
  echo "$1  $own/script.new" | sha256sum --check --status || die 75 "the batch script came short"
  mv -f -- "$own/script.new" "$own/script" || die 75 "the batch script cannot be written below $own"
}

refuse() { # SENTENCE
  printf '%s\n' "$1" | head -c 2000 >"$own/refused"
  ln -s refused "$own/claim" 2>/dev/null
  [ "$(owner)" = refused ] || die 75 "sbatch refused the job, but one runs: $1"
  printf 'gatekit answer\nrefused\ngatekit end\n'
  exit 0
}

# An earlier sbatch may have been heard though its answer was lost: absence must be seen three times.
look_it_up() { # SETTLE
  for turn in 1 2 3; do
    [ "$turn" = 1 ] || sleep "$1"
    found=$(find_job) || die 75 "the queue could not be asked for the job"
    [ -z "$found" ] || return 0
  done
}

call_sbatch() { # OPTION...
  said=$(timeout 120 sbatch --parsable --job-name="$name" --chdir="$run" --output="$own/out.log" "$@" "$own/script" \
    2>&1 </dev/null 9>&-)
  status=$?
}

submit() {
  [ $# -ge 4 ] && is_root "$1" && is_name "$2" || die 64 "usage: submit ROOT NAME SHA256 SETTLE OPTION..."
  name=$2 run=$1/runs/$2 own=$1/runs/$2/slurm sum=$3 settle=$4
  shift 4
  avoid=
  case ${1:-} in --avoid=*) avoid=--exclude=${1#--avoid=} && shift ;; esac
  mkdir -p -- "$own" || die 75 "$own cannot be made"
  exec 9>>"$own/lock" || exit 75
  flock -w 60 9 || die 75 "another submission of $name is under way"
  case $(owner) in
    cancelled | refused) say_and_leave "barred" ;;
    [0-9]*) [ -n "$(recorded)" ] || record "$(owner | cut -d. -f1)" ;;
  esac
  [ -z "$(recorded)" ] || say_and_leave "submitted $(recorded)"
  take_script "$sum"
  if [ -e "$own/submitting" ]; then
    look_it_up "$settle"
    [ -z "$found" ] || { record "$found" && say_and_leave "submitted $found"; }
  fi
  : >"$own/submitting" || die 75 "$own cannot be written: is the disk full?"
  call_sbatch "$@" ${avoid:+"$avoid"}
  case $avoid$said in # no other node is left, or that one is gone
    --exclude=*'node configuration is not available'* | --exclude=*'nvalid node name'*) call_sbatch "$@" ;;
  esac
  id=$(printf '%s\n' "$said" | sed -n 's/^\([0-9][0-9]*\)\(;.*\)\{0,1\}$/\1/p' | tail -n 1)
  [ "$status" = 0 ] && [ -n "$id" ] && { record "$id" && say_and_leave "submitted $id"; }
  case $said in
    *'imed out'* | *'nable to contact'* | *'onnection '* | *'onnect failure'* | *'nexpected message'* | *'ero Bytes'* | \
      *'emporarily'* | *'tandby mode'* | *'ommunication'* | *'ransport '* | *'rotocol'* | *'unge'*) ;;
    *'sbatch: error:'*) refuse "$said" ;;
  esac
  die 75 "sbatch gave no clear answer (exit $status): $said"
}

facts() { # one line on what lies in the run folder of $name
  id=$(recorded)
  claim=$(owner)
  case $claim in *[!a-z0-9.]*) claim=odd ;; esac
  flags=-
  [ -e "$own/cancelled" ] && flags=${flags}c
  [ -e "$own/submitting" ] && flags=${flags}s
  [ -e "$run/result.json" ] && flags=${flags}r
  [ -e "$own/end.json" ] && flags=${flags}e
  node=$(head -c 64 -- "$own/node" 2>/dev/null)
  case $node in '' | *[!A-Za-z0-9._-]*) node=- ;; esac
  printf 'job %s %s %s %s %s\n' "$name" "${id:--}" "${claim:--}" "$node" "$flags$1"
}

look() { # NAMES BUSY
  rows=$(queue) || die 75 "the queue could not be asked"
  echo 'gatekit answer'
  for name in $1; do
    run=$root/runs/$name own=$root/runs/$name/slurm
    case " $2 " in *" $name "*) facts b ;; *) facts '' ;; esac
  done
  printf '%s\ngatekit end\n' "$rows"
}

read_names() {
  names=$(cat) || exit 75
  for name in $names; do is_name "$name" || die 64 "no job name: $name"; done
}

# Ids of the jobs under the name $name, in its run folder, that wait, run, or do what we do not understand. $rows: the queue.
active() {
  printf '%s\n' "$rows" | awk -F'|' -v run="$root/runs/$name" -v name="$name" \
    '$1 ~ /^[0-9]+$/ && $4 == run && $5 == name && $2 !~ /^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|PREEMPTED|DEADLINE|BOOT_FAIL|OUT_OF_MEMORY|REVOKED)/ { print $1 }'
}

cancel() {
  busy=
  for name in $names; do
    run=$root/runs/$name own=$root/runs/$name/slurm
    mkdir -p -- "$own" && : >>"$own/cancelled" || die 75 "$own cannot be written: is the disk full?"
    ln -s cancelled "$own/claim" 2>/dev/null
    [ -n "$(owner)" ] || die 75 "$own/claim cannot be made"
    # once the lock was ours no sbatch is under way any more, and no other will follow
    flock -w 20 "$own/lock" true || busy="$busy $name"
  done
  rows=$(queue) || die 75 "the queue could not be asked"
  for name in $names; do
    ids=$(active)
    # shellcheck disable=SC2086  # digits, one id a word
    [ -z "$ids" ] || timeout 60 scancel --me --name="$name" $ids </dev/null >&2
  done
  look "$names" "$busy"
}

account() {
  case $1 in '' | *[!0-9,]*) die 64 "usage: account ID,ID,..." ;; esac
  rows=$(timeout 90 sacct --noheader --parsable2 --allocations --duplicates --starttime=now-14days --jobs="$1" \
    --format=JobIDRaw,State,ExitCode,JobName </dev/null) || die 75 "accounting did not answer"
  printf 'gatekit answer\n%s\ngatekit end\n' "$rows"
}
