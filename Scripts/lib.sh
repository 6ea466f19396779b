# Functions and settings that the scripts beside this file share. It is sourced, not run.
# shellcheck shell=bash

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
root=$(dirname "$here")

# Prints a line for a person, on standard error: standard output is for data.
say() { printf '%s\n' "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# Adds Swift to PATH if an installer has not done so, and fails if there is no Swift.
require_swift() {
  local folder
  for folder in "${SWIFTLY_BIN_DIR:-}" "${HOME:-}/.local/share/swiftly/bin" /opt/swift/usr/bin; do
    if command -v swift >/dev/null; then return; fi
    if [[ -x $folder/swift ]]; then PATH=$folder:$PATH; fi
  done
  command -v swift >/dev/null || die \
    "Swift is missing; building offers needs 6.3 or newer." \
    "Get it from https://www.swift.org/install/linux/ and see that 'swift --version' works."
}

# Installs the Debian packages that the build needs and that are missing.
require_packages() {
  local missing=()
  [[ -e /usr/include/sqlite3.h ]] || missing+=(libsqlite3-dev)
  [[ -e /usr/include/zlib.h ]] || missing+=(zlib1g-dev)
  [[ -e /usr/include/expat.h ]] || missing+=(libexpat1-dev)
  [[ -e /usr/include/openssl/evp.h ]] || missing+=(libssl-dev)
  [[ -e /usr/include/qrencode.h ]] || missing+=(libqrencode-dev)
  [[ -e /usr/include/postgresql/libpq-fe.h ]] || missing+=(libpq-dev)
  compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || missing+=(g++)
  command -v git >/dev/null || missing+=(git)
  install_packages "the headers of SQLite, zlib, expat, OpenSSL, libqrencode and libpq, a C++ library, git" "${missing[@]}"
}

# Installs what tests need besides the build: zsh and fish, in which they try the completions that
# offers prints, cron, whose crontab offers edits, systemd-analyze, which rates the units, and openssl, which
# makes their certificates.
require_test_tools() {
  local missing=()
  command -v zsh >/dev/null || missing+=(zsh)
  command -v fish >/dev/null || missing+=(fish)
  command -v crontab >/dev/null || missing+=(cron)
  command -v systemd-analyze >/dev/null || missing+=(systemd)
  command -v openssl >/dev/null || missing+=(openssl)
  compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql-15)
  command -v pgbouncer >/dev/null || missing+=(pgbouncer)
  install_packages "the shells zsh and fish, cron, systemd-analyze, openssl, PostgreSQL and pgbouncer" \
    "${missing[@]}"
}

# The Python environment that drives the browser, made by require_browser. Selenium uses Debian's
# driver and downloads none.
browser_python=(env SE_OFFLINE=true PYTHONDONTWRITEBYTECODE=1 "$root/.build/browser-venv/bin/python")

# Installs what is missing of Leaflet and its clustering, which draw the maps of the pages.
require_maps() {
  local folder=/usr/share/javascript/leaflet missing=()
  [[ -e $folder/leaflet.min.js ]] || missing+=(libjs-leaflet)
  [[ -e $folder/leaflet.markercluster.min.js ]] || missing+=(libjs-leaflet.markercluster)
  install_packages "Leaflet and Leaflet.markercluster" "${missing[@]}"
}

# Installs what is missing of Chromium, its driver, the map library and the Python environment of the
# browser tests, in which django-oauth-toolkit is an OpenID provider, of certutil, which has the browser trust a certificate, and of zbar, which reads QR
# codes.
require_browser() {
  local missing=()
  command -v chromium >/dev/null || missing+=(chromium)
  command -v chromedriver >/dev/null || missing+=(chromium-driver)
  command -v certutil >/dev/null || missing+=(libnss3-tools)
  compgen -G '/usr/lib/*/libzbar.so.0' >/dev/null || missing+=(libzbar0)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  install_packages "Chromium and its driver, certutil, zbar, Python with venv" "${missing[@]}"
  require_maps
  if "${browser_python[@]}" -c 'import selenium, axe_playwright_python, oauth2_provider' 2>/dev/null; then return; fi
  say "Preparing a Python environment ..."
  local venv=$root/.build/browser-venv
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install selenium==4.51.0 django-oauth-toolkit==3.4.1
  # Only the script axe.min.js of this package is used, not Playwright, on which it depends.
  "$venv/bin/pip" -q install --no-deps axe-playwright-python==0.1.8
}

# Installs Debian packages with apt-get; DESCRIPTION tells a user of another system what is needed:
#   install_packages DESCRIPTION [PACKAGE...]
install_packages() {
  local what=$1 apt=(apt-get)
  shift
  if (($# == 0)); then return; fi

  local advice="Install what is needed, as root: apt-get install $*"
  command -v apt-get >/dev/null || die "This machine lacks $* and has no apt-get." \
    "Install the same by your system's own means ($what)."
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "$advice"
    apt=(sudo apt-get)
  fi
  say "Installing $* ..."
  export DEBIAN_FRONTEND=noninteractive
  "${apt[@]}" install -y --no-install-recommends "$@" >&2 ||
    { "${apt[@]}" update >&2 &&
      "${apt[@]}" install -y --no-install-recommends "$@" >&2; } ||
    die "That did not work. $advice"
}

# The options of the build that is installed and packaged. Swift's own libraries are linked statically,
# all others are the system's shared libraries, so that its security updates apply to the program.
# shellcheck disable=SC2034
release=(-c release --product offers --static-swift-stdlib --disable-local-rpath)

# A file whose modification time is the start of the last successful build. The time of the program
# does not tell it: the linker does not touch an unchanged program, and sources may be edited during
# a build.
# shellcheck disable=SC2034
stamp=$root/.build/offers-release-stamp

# Installs files below a prefix: the stripped program, and the manual page and the completions that
# the program prints. Each FILE is a path below the prefix:
#   install_program PROGRAM PREFIX FILE...
install_program() {
  local program=$1 prefix=$2 file
  shift 2
  for file in "$@"; do
    install -d -m 755 "$(dirname "$prefix/$file")"
    case $file in
    bin/*) install -m 755 -s "$program" "$prefix/$file" ;;
    */man1/*) "$program" manual >"$prefix/$file" ;;
    */bash-completion/*) "$program" --generate-completion-script bash >"$prefix/$file" ;;
    */zsh/*) "$program" --generate-completion-script zsh >"$prefix/$file" ;;
    */fish/*) "$program" --generate-completion-script fish >"$prefix/$file" ;;
    esac
    if [[ $file != bin/* ]]; then chmod 644 "$prefix/$file"; fi
  done
}
