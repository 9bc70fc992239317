# To be sourced. usage: turn FILE WHAT      holds FILE until the script ends; where another has it, says so and waits
turn() {
  mkdir -p "$(dirname "$1")"
  exec 9>"$1"
  flock -n 9 && return
  echo "$0: another set-up of $2 is under way here: waiting" >&2
  flock 9
}
