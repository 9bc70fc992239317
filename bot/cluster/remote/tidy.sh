# Removes the run folders of attempts that are over: those only in which a bot's own job.json lies, and no job is left.

# The folder is renamed first: what is left of one that could not be removed as a whole is known by its name.
remove() { # RUN GONE
  [ ! -e "$2" ] || timeout 20 rm -rf --one-file-system -- "$2" || return 1
  [ ! -d "$1" ] || mv -T -- "$1" "$2" && timeout 20 rm -rf --one-file-system -- "$2" && [ ! -e "$1" ]
}

# Job.json is our JSON: a quotation mark inside of one of its texts has a backslash before it.
is_ours() { # RUN SUBMITTER
  [ -f "$1/job.json" ] && [ ! -L "$1" ] && [ ! -L "$1/job.json" ] &&
    head -c 4194304 -- "$1/job.json" | grep -q "^ \"submitter\": \"$2\"\$\|^ \"submitter\": \"$2\",\$"
}

tidy() { # SUBMITTER
  case $1 in '' | *[!a-z0-9]*) die 64 "usage: tidy ROOT SUBMITTER" ;; esac
  rows=$(queue) || die 75 "the queue could not be asked"
  echo 'gatekit answer'
  for name in $names; do
    run=$root/runs/$name gone=$root/runs/.gone-$name said=kept
    if [ -n "$(active)" ]; then
      said=kept
    elif [ -e "$run" ] && ! is_ours "$run" "$1"; then
      said=foreign
    elif remove "$run" "$gone"; then
      said=gone
    fi
    printf 'folder %s %s\n' "$name" "$said"
  done
  echo 'gatekit end'
}
