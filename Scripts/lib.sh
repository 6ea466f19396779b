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

# Puts temporary files into memory, unless TMPDIR names a place for them, there is no room, or no program
# may be started there: tests wait for the disk most of their time otherwise.
prefer_memory() {
  if [[ -z ${TMPDIR:-} && -w /dev/shm ]] &&
    (($(df --output=avail /dev/shm | tail -n 1) > 2 << 20)) &&
    ! findmnt -no OPTIONS -T /dev/shm | grep -qw noexec; then
    export TMPDIR=/dev/shm
  fi
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
  compgen -G '/usr/include/*/curl/curl.h' >/dev/null || [[ -e /usr/include/curl/curl.h ]] ||
    missing+=(libcurl4-openssl-dev)
  compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || missing+=(g++)
  command -v git >/dev/null || missing+=(git)
  install_packages "The build needs these headers and tools" "${missing[@]}"
}

# Installs what tests need besides the build: cron, whose crontab offers edits, systemd-analyze, which rates the units, openssl, which
# makes their certificates, curl and sqlite3, which look at servers and files from outside, a C compiler,
# which makes small programs and the shims of the campaigns, nginx, behind which a server runs, gdk-pixbuf,
# which makes pictures smaller, and the shells whose quoting and completions are tested.
require_test_tools() {
  local missing=()
  command -v crontab >/dev/null || missing+=(cron)
  command -v systemd-analyze >/dev/null || missing+=(systemd)
  command -v openssl >/dev/null || missing+=(openssl)
  command -v curl >/dev/null || missing+=(curl)
  command -v sqlite3 >/dev/null || missing+=(sqlite3)
  command -v cc >/dev/null || missing+=(gcc libc6-dev)
  compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql-15)
  command -v pgbouncer >/dev/null || missing+=(pgbouncer)
  command -v zsh >/dev/null || missing+=(zsh)
  command -v fish >/dev/null || missing+=(fish)
  [[ -x /usr/sbin/nginx ]] || missing+=(nginx-light)
  compgen -G '/usr/lib/*/libgdk_pixbuf-2.0.so.0' >/dev/null || missing+=(libgdk-pixbuf-2.0-0)
  install_packages "The tests need these tools and servers" "${missing[@]}"
}

# The Python environment that drives the browser, made by require_browser. Selenium uses Debian's
# driver and downloads none.
browser_python=(env SE_OFFLINE=true PYTHONDONTWRITEBYTECODE=1 "$root/.build/browser-venv/bin/python")

# Installs Leaflet, which draws the maps of the pages, if it is missing.
require_maps() {
  [[ -e /usr/share/javascript/leaflet/leaflet.esm.min.js ]] ||
    install_packages "The maps of the web page need this script" libjs-leaflet
}

# Installs what is missing of Chromium, its driver, the map library and the Python environment of the
# browser tests, in which django-oauth-toolkit is an OpenID provider, of certutil, which has the browser trust a certificate, of zbar, which reads QR
# codes, and of the proxies whose files the documentation has.
require_browser() {
  local missing=()
  command -v chromium >/dev/null || missing+=(chromium)
  command -v chromedriver >/dev/null || missing+=(chromium-driver)
  command -v certutil >/dev/null || missing+=(libnss3-tools)
  compgen -G '/usr/lib/*/libzbar.so.0' >/dev/null || missing+=(libzbar0)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  command -v nginx >/dev/null || missing+=(nginx-light)
  command -v caddy >/dev/null || missing+=(caddy)
  command -v apache2 >/dev/null || missing+=(apache2-bin)
  install_packages "The tests of the web page need this browser and these tools" "${missing[@]}"
  require_maps
  if "${browser_python[@]}" -c 'import selenium, axe_playwright_python, oauth2_provider' 2>/dev/null; then return; fi
  say "The tests of the web page need Selenium, axe and an OpenID provider: installing them by pip into .build/browser-venv (half a minute) ..."
  local venv=$root/.build/browser-venv
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install selenium==4.51.0 django-oauth-toolkit==3.4.1
  # Only the script axe.min.js of this package is used, not Playwright, on which it depends.
  "$venv/bin/pip" -q install --no-deps axe-playwright-python==0.1.8
}

# Installs what is missing of WebKit, its driver and a screen for it.
require_webkit() {
  local missing=()
  command -v WebKitWebDriver >/dev/null || missing+=(webkit2gtk-driver)
  command -v Xvfb >/dev/null || missing+=(xvfb)
  install_packages "The tests of the web page in WebKit need these" "${missing[@]}"
}

# Installs Debian packages that are missing, and says so before; nothing that is there is upgraded.
# REASON is a sentence that ends with the list of the packages:
#   install_packages REASON [PACKAGE...]
install_packages() {
  local reason=$1 log sudo=()
  shift
  if (($# == 0)); then return; fi

  local advice="Install them, as root: apt-get install $*"
  say "$reason: $*"
  command -v apt-get >/dev/null ||
    die "This machine has no apt-get. Install the same by your system's own means."
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "$advice"
    sudo=(sudo)
  fi
  sudo+=(env DEBIAN_FRONTEND=noninteractive)
  log=$(mktemp -t offers-apt.XXXXXX)
  local install=("${sudo[@]}" apt-get install -y --no-install-recommends --no-upgrade "$@")
  say "Installing them by apt-get (a minute or two) ..."
  if ! "${install[@]}" >"$log" 2>&1 </dev/null &&
    ! { "${sudo[@]}" apt-get update && "${install[@]}"; } >"$log" 2>&1 </dev/null; then
    die "apt-get failed: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")" "Its output is in $log. $advice"
  fi
  rm -f "$log"
}

# Builds with the given options of `swift build`. The output goes into .build/build.log; on a terminal
# one line tells how far the build has come. A failed build prints its first errors.
run_build() {
  local log=$root/.build/build.log
  mkdir -p "$root/.build"
  if swift build --package-path "$root" "$@" 2>&1 </dev/null | show_progress "$log"; then return; fi
  grep -m 5 'error:' "$log" | sort -u >&2 || true
  die "The build failed. All of its output is in $log."
}

# Copies standard input to a file. On a terminal its latest lines of the form "[12/345] …" replace each
# other on one line of standard error.
show_progress() {
  local log=$1 line
  if [[ ! -t 2 ]]; then
    cat >"$log"
    return
  fi
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      printf '\r%s of %s steps\033[K' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    fi
  done >"$log"
  printf '\r\033[K' >&2
}

# The options of the build in a clone. The tests share it, so that a clone compiles everything once; they
# need -enable-testing. Swift's own libraries are those of the installed Swift.
# shellcheck disable=SC2034
clone=(-c release -Xswiftc -enable-testing)

# The options of the build for the Debian package. Swift's own libraries are linked in; all others are the
# system's shared libraries, so that its security updates apply to the program.
# shellcheck disable=SC2034
static=(-c release --static-swift-stdlib --disable-local-rpath)

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
