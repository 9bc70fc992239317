# Which of it all is asked for.

verb=${1:-}
[ $# -gt 0 ] && shift
case $verb in
  submit) submit "$@" ;;
  account) account "${1:-}" ;;
  check)
    [ $# -ge 1 ] && is_root "$1" || die 64 "usage: check ROOT OPTION..."
    root=$1
    shift
    check "$@"
    ;;
  look | cancel | tidy)
    [ $# -ge 1 ] && is_root "$1" || die 64 "usage: $verb ROOT"
    root=$1
    read_names
    case $verb in
      look) look "$names" '' ;;
      cancel) cancel ;;
      tidy) tidy "${2:-}" ;;
    esac
    ;;
  *) die 64 "usage: remote.sh submit|look|cancel|tidy|account|check ..." ;;
esac
