# What an operator wants to know of a cluster, as facts: `gatekit doctor` judges. It writes nothing but its answer, and no
# word of stdin is ever run: programs are looked for, not started.
# stdin: `program LABEL WORD`, `file LABEL PATH` or `folder LABEL PATH`, one a line.
# answer: `clock SECONDS` first and last; `user NAME`; `lacks PROGRAM`; `said LABEL STATUS` for each command, then what it
# said behind `> `; `containers pyxis` where srun knows them; `writable`, `space`, `inodes`, `system` and `runs` of the root; and a line for each line of stdin.

ask() { # LABEL COMMAND...
  label=$1
  shift
  said=$(timeout 20 "$@" </dev/null 2>&1)
  status=$?
  printf 'said %s %s\n' "$label" "$status"
  printf '%s\n' "$said" | head -c 1000000 | sed 's/^/> /'
}

clock() { printf 'clock %s\n' "$(date +%s.%N)"; }

file_system() { # PATH: its kind, or that of the nearest folder above it
  above=$1
  while [ ! -e "$above" ]; do case $above in */*) above=${above%/*} ;; *) break ;; esac; done
  timeout 20 stat -f -c %T -- "${above:-/}" 2>/dev/null | tr -c 'A-Za-z0-9/_()\n' _ | grep . || echo -
}

check_tools() {
  for tool in squeue sbatch scancel sacct sinfo scontrol flock sha256sum awk timeout stat find; do
    command -v "$tool" >/dev/null 2>&1 || printf 'lacks %s\n' "$tool"
  done
}

check_slurm() { # OPTION...
  ask version sinfo --version
  ask queue squeue --noheader --me --states=all --format=%A
  if [ "$status" = 0 ]; then # a controller that does not answer is asked once
    ask nodes sinfo --noheader --format='%R|%D|%t|%d|%G'
    ask partitions scontrol --oneliner show partition
    ask config scontrol show config
    # in front, for behind an option that lacks its value it would be that value, and a job would begin
    ask trial sbatch --test-only --job-name=gk-trial --wrap=: "$@"
  fi
  ask accounts sacct --noheader --parsable2 --allocations --starttime=now-1hour --format=JobIDRaw
  columns=Cluster,Account,Partition,DefaultQOS,MaxJobs,MaxSubmitJobs,MaxWall,GrpJobs,GrpSubmitJobs
  ask associations sacctmgr --noheader --parsable2 show associations "user=$(id -un)" "format=$columns"
  for word in "$@"; do # limits of the account as a whole do not stand with its users
    case $word in
      --account=?*) ask charged sacctmgr --noheader --parsable2 show associations "account=${word#*=}" user= "format=$columns" ;;
    esac
  done
  ask qos sacctmgr --noheader --parsable2 show qos format=Name,MaxWall,MaxJobsPerUser,MaxSubmitJobsPerUser,GrpJobs,GrpSubmitJobs
}

check_containers() {
  timeout 20 srun --help </dev/null 2>/dev/null | grep -q -e --container-image && echo 'containers pyxis'
}

check_root() {
  for folder in "$root" "$root/bin" "$root/runs"; do
    [ -d "$folder" ] && [ -w "$folder" ] && [ -x "$folder" ] && printf 'writable %s\n' "$folder"
  done
  printf 'space %s\n' "$(timeout 20 df -Pk -- "$root" 2>/dev/null | awk 'END { print $4 }')"
  printf 'inodes %s\n' "$(timeout 20 df -Pi -- "$root" 2>/dev/null | awk 'END { print $4 }')"
  printf 'system %s\n' "$(file_system "$root")"
  timeout 20 find "$root/runs" -mindepth 1 -maxdepth 1 -name 'gk-*' -printf '%T@\n' 2>/dev/null |
    awk 'NR == 1 || $1 < oldest { oldest = $1 } END { printf "runs %d %d\n", NR, oldest }'
}

check_program() { # LABEL WORD: where it is, what it comes to, and the version that aiperf has beside it
  case $2 in
    /*) path=$2 ;;
    *) path=$(command -v -- "$2" 2>/dev/null) ;;
  esac
  system=$(file_system "${path:-$2}")
  case $path in /*) [ -f "$path" ] && [ -x "$path" ] || path= ;; *) path= ;; esac
  printf 'program %s %s %s\n' "$1" "$system" "${path:--}"
  [ -n "$path" ] || return
  real=$(readlink -f -- "$path" 2>/dev/null) || real=$path
  printf 'real %s %s\n' "$1" "$real"
  for place in "${path%/*/*}" "${real%/*/*}"; do
    for info in "$place"/lib/python3*/site-packages/aiperf-*.dist-info; do
      [ -d "$info" ] && printf 'aiperf %s %s\n' "$1" "$(basename -- "$info" .dist-info)"
    done
  done
}

check_file() { # LABEL PATH
  sum=-
  [ -f "$2" ] && sum=$(timeout 60 sha256sum 2>/dev/null <"$2" | head -c 64)
  printf 'file %s %s %s\n' "$1" "$(file_system "$2")" "${sum:--}"
}

check_folder() { # LABEL PATH
  there=no
  [ -d "$2" ] && [ -r "$2" ] && [ -x "$2" ] && there=yes
  printf 'folder %s %s %s\n' "$1" "$(file_system "$2")" "$there"
  [ "$there" = no ] || ls -- "$2" 2>/dev/null | head -n 500 | sed -n "s/^\(tokenizer.*\|vocab.*\|tiktoken.*\)\$/holds $1 \1/p"
}

check() { # OPTION...
  echo 'gatekit answer'
  clock
  printf 'user %s\n' "$(id -un)"
  check_tools
  check_slurm "$@"
  check_containers
  check_root
  while read -r kind label rest; do
    case $label in '' | *[!a-z0-9-]*) continue ;; esac
    case $kind in
      program) check_program "$label" "$rest" ;;
      file) check_file "$label" "$rest" ;;
      folder) check_folder "$label" "$rest" ;;
    esac
  done
  clock
  echo 'gatekit end'
}
