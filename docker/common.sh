# shellcheck shell=bash
# What install-engine and base-images share. Sourced, never run.

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

# One clear line and the exit code for "this cannot be done here".
refuse() {
  warn "${0##*/}: $*"
  exit 2
}

# quietly WHAT COMMAND…: nothing is shown unless the command fails.
quietly() {
  local what=$1 log status=0
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    warn "${0##*/}: $what failed (exit code $status):"
    tail -n 25 "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

is_root() { [[ $(id -u) == 0 ]]; }

# os_release KEY: a field of /etc/os-release, nothing where there is none.
os_release() {
  [[ -r /etc/os-release ]] || return 0
  # shellcheck source=/dev/null
  (. /etc/os-release && printf '%s' "${!1-}")
}

apt_install() {
  # The lock is waited for: machines update themselves in the background.
  DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install "$@"
}

# debian_mirror LABEL DEFAULT: the mirror that this machine's apt already uses
# for Debian (label "Debian") or its security updates ("Debian-Security").
debian_mirror() {
  local found=
  if command -v apt-get >/dev/null; then
    # shellcheck disable=SC2016  # apt's own variables
    found=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' 2>/dev/null |
      awk -F'|' -v label="$1" \
        '!found && $1 == "Debian" && $2 == label && $3 ~ /^https?:/ { print $3; found = 1 }' || true)
  fi
  printf '%s' "${found:-$2}"
}
